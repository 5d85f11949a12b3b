//go:build !js

package demo

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// template returns the spec of the app's template, with the defaults of the apiserver and most of what
// admission adds. Pods share it, so nothing may change what it points to.
func (a *app) template() corev1.PodSpec {
	spec := corev1.PodSpec{
		Containers:                    []corev1.Container{a.container()},
		RestartPolicy:                 corev1.RestartPolicyAlways,
		DNSPolicy:                     corev1.DNSClusterFirst,
		ServiceAccountName:            a.name,
		DeprecatedServiceAccount:      a.name,
		SchedulerName:                 corev1.DefaultSchedulerName,
		EnableServiceLinks:            ptr(true),
		TerminationGracePeriodSeconds: ptr(int64(30)),
		SecurityContext:               &corev1.PodSecurityContext{RunAsNonRoot: ptr(true)},
		Priority:                      ptr(int32(0)),
		PreemptionPolicy:              ptr(corev1.PreemptLowerPriority),
		Tolerations:                   tolerations(a.kind == daemonSet),
	}
	if a.sidecar {
		spec.Containers = append(spec.Containers, proxyContainer())
	}
	if a.migrates {
		c := container("migrate", a.image+":v"+a.version(), "100m", "128Mi")
		c.Args = []string{"migrate", "--wait"}
		spec.InitContainers = append(spec.InitContainers, c)
	}
	if a.system {
		spec.HostNetwork, spec.PriorityClassName, spec.Priority = true, "system-node-critical", ptr(int32(2000001000))
	}
	spec.Volumes = append(spec.Volumes, configVolume(a.name))
	return spec
}

// admitted returns the spec of the pods of a template: the apiserver gives each a token.
func admitted(template corev1.PodSpec, token string) corev1.PodSpec {
	spec := template
	spec.Volumes = append(slices.Clip(spec.Volumes), tokenVolume("kube-api-access-"+token))
	spec.Containers = slices.Clone(spec.Containers)
	for i := range spec.Containers {
		c := &spec.Containers[i]
		c.VolumeMounts = append(slices.Clip(c.VolumeMounts), corev1.VolumeMount{Name: "kube-api-access-" + token, ReadOnly: true, MountPath: "/var/run/secrets/kubernetes.io/serviceaccount"})
	}
	return spec
}

func (a *app) container() corev1.Container {
	sizes := [][2]string{{"25m", "64Mi"}, {"50m", "256Mi"}, {"100m", "512Mi"}, {"250m", "768Mi"}} // a node of 32 cores runs some 250
	size := sizes[len(a.name)%len(sizes)]
	c := container(a.role, a.image+":v"+a.version(), size[0], size[1])
	c.Args = []string{"--config=/etc/app/config.yaml", "--log-format=json"}
	c.Ports = []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: corev1.ProtocolTCP}, {Name: "metrics", ContainerPort: 9090, Protocol: corev1.ProtocolTCP}}
	c.Env = []corev1.EnvVar{
		{Name: "TEAM", Value: a.team},
		{Name: "POD_NAME", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.name"}}},
		{Name: "DATABASE_URL", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: a.name + "-database"}, Key: "url"}}},
	}
	c.LivenessProbe, c.ReadinessProbe = probe("/healthz", 10), probe("/readyz", 5)
	c.VolumeMounts = []corev1.VolumeMount{{Name: "config", ReadOnly: true, MountPath: "/etc/app"}}
	if a.kind == statefulSet {
		c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: "data", MountPath: "/var/lib/data"})
	}
	return c
}

func container(name, image, cpu, memory string) corev1.Container {
	requests := corev1.ResourceList{"cpu": resource.MustParse(cpu), "memory": resource.MustParse(memory)}
	return corev1.Container{
		Name: name, Image: image, ImagePullPolicy: corev1.PullIfNotPresent,
		Resources:                corev1.ResourceRequirements{Requests: requests, Limits: corev1.ResourceList{"memory": resource.MustParse(memory)}},
		TerminationMessagePath:   corev1.TerminationMessagePathDefault,
		TerminationMessagePolicy: corev1.TerminationMessageReadFile,
		SecurityContext:          &corev1.SecurityContext{AllowPrivilegeEscalation: ptr(false)},
	}
}

func proxyContainer() corev1.Container {
	c := container("envoy", "docker.io/envoyproxy/envoy:v1.38.1", "50m", "128Mi")
	c.Ports = []corev1.ContainerPort{{Name: "admin", ContainerPort: 9901, Protocol: corev1.ProtocolTCP}}
	return c
}

func probe(path string, seconds int32) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler:   corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromString("http"), Scheme: corev1.URISchemeHTTP}},
		TimeoutSeconds: 1, PeriodSeconds: seconds, SuccessThreshold: 1, FailureThreshold: 3,
	}
}

// tolerations returns those that admission adds: five minutes on a lost node, or no limit for a
// pod of a DaemonSet.
func tolerations(stay bool) (all []corev1.Toleration) {
	seconds := ptr(int64(300))
	if stay {
		seconds = nil
	}
	for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		all = append(all, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: seconds})
	}
	if stay {
		all = append(all, corev1.Toleration{Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule})
	}
	return all
}

func configVolume(name string) corev1.Volume {
	return corev1.Volume{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
		LocalObjectReference: corev1.LocalObjectReference{Name: name}, DefaultMode: ptr(corev1.ConfigMapVolumeSourceDefaultMode),
	}}}
}

// tokenVolume returns the volume with the pod's service account token.
func tokenVolume(name string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
		DefaultMode: ptr(corev1.ProjectedVolumeSourceDefaultMode),
		Sources: []corev1.VolumeProjection{
			{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{ExpirationSeconds: ptr(int64(3607)), Path: "token"}},
			{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"}, Items: []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}}}},
			{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{{Path: "namespace", FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"}}}}},
		},
	}}}
}
