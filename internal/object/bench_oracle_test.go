//go:build !js

package object

import (
	"bytes"
	"os"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
)

// realPod returns a pod of a Deployment as an apiserver stores it, without managedFields, which
// the proxy drops. It has one container with probes, resources and mounts, and the conditions
// and statuses that a kubelet writes.
func realPod() *corev1.Pod {
	yes := true
	began := metav1.NewTime(time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC))
	probe := &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/healthz", Port: intstr.FromInt32(8080), Scheme: "HTTP"}}, TimeoutSeconds: 1, PeriodSeconds: 10, SuccessThreshold: 1, FailureThreshold: 3}
	pod := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Name: "web-5d9c7b8f6d-x2x1p", GenerateName: "web-5d9c7b8f6d-", Namespace: "team-03", UID: "6f1c9a52-7d0e-4c59-9a3f-0d8f6d1b2c3a",
			ResourceVersion: "8812345", Generation: 1, CreationTimestamp: began,
			Labels:          map[string]string{"app": "web", "pod-template-hash": "5d9c7b8f6d", "app.kubernetes.io/part-of": "shop"},
			Annotations:     map[string]string{"kubectl.kubernetes.io/restartedAt": "2026-11-20T07:59:58Z", "prometheus.io/scrape": "true"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-5d9c7b8f6d", UID: "0a6c1f0e-8a58-4a0e-9d3b-5c1d2e3f4a5b", Controller: &yes, BlockOwnerDeletion: &yes}},
		},
		Spec: corev1.PodSpec{
			NodeName: "node-0042", ServiceAccountName: "web", RestartPolicy: "Always", DNSPolicy: "ClusterFirst", SchedulerName: "default-scheduler",
			Containers: []corev1.Container{{
				Name: "web", Image: "registry.example.com/shop/web:1.42.0", ImagePullPolicy: "IfNotPresent",
				Ports:     []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: "TCP"}},
				Env:       []corev1.EnvVar{{Name: "LOG_LEVEL", Value: "info"}, {Name: "POD_IP", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "status.podIP"}}}},
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("128Mi")}, Limits: corev1.ResourceList{"memory": resource.MustParse("256Mi")}},
				VolumeMounts: []corev1.VolumeMount{
					{Name: "config", MountPath: "/etc/web", ReadOnly: true},
					{Name: "kube-api-access-7k2lq", MountPath: "/var/run/secrets/kubernetes.io/serviceaccount", ReadOnly: true},
				},
				LivenessProbe: probe, ReadinessProbe: probe, TerminationMessagePath: "/dev/termination-log", TerminationMessagePolicy: "File",
			}},
			Volumes:     []corev1.Volume{{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "web"}}}}, {Name: "kube-api-access-7k2lq", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token"}}}}}}},
			Tolerations: []corev1.Toleration{{Key: "node.kubernetes.io/not-ready", Operator: "Exists", Effect: "NoExecute"}, {Key: "node.kubernetes.io/unreachable", Operator: "Exists", Effect: "NoExecute"}},
		},
		Status: corev1.PodStatus{
			Phase: "Running", HostIP: "10.0.0.42", PodIP: "10.244.3.17", PodIPs: []corev1.PodIP{{IP: "10.244.3.17"}}, StartTime: &began, QOSClass: "Burstable",
			ContainerStatuses: []corev1.ContainerStatus{{
				Name: "web", Ready: true, Started: &yes, RestartCount: 2, Image: "registry.example.com/shop/web:1.42.0",
				ImageID:     "registry.example.com/shop/web@sha256:3b1c0f5f1e6f2d7a9c8b4e5d6f7a8b9c0d1e2f3a4b5c6d7e8f9a0b1c2d3e4f5a",
				ContainerID: "containerd://9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c5b4a39281706f5e4d3c2b1a0",
				State:       corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: began}},
			}},
		},
	}
	for _, t := range []corev1.PodConditionType{"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"} {
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: t, Status: "True", LastTransitionTime: began})
	}
	return pod
}

// TestRealPod checks that the encoded pod of the benchmarks is the one that realPod returns.
func TestRealPod(t *testing.T) {
	want := payload(t, realPod())
	if *update {
		if err := os.WriteFile("testdata/pod.pb", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(sentPod, want) {
		t.Error("testdata/pod.pb is not the pod: run the test with -update")
	}
}

func theirDecode(b *testing.B) {
	b.Run("client-go", func(b *testing.B) {
		d := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
		b.SetBytes(int64(len(sentPod)))
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := d.Decode(sentPod, nil, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}
