package cluster

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var (
	teams = strings.Fields("payments search checkout catalog identity media orders shipping " +
		"pricing billing accounts reviews mobile growth fraud risk ledger " +
		"notify content insight platform data network storage")
	appNames = strings.Fields("web api worker gateway cache consumer scheduler indexer " +
		"exporter sync router auth proxy reporter importer stream queue admin")
	registries = []string{"registry.example.com", "ghcr.io/example", "europe-docker.pkg.dev/example/prod"}
)

// suffixLetters is the alphabet of the API machinery's random names.
const suffixLetters = "bcdfghjklmnpqrstvwxz2456789"

// managers of the two halves of a pod.
const (
	specManager   = "kube-controller-manager"
	statusManager = "kubelet"
)

// fleet makes pods as Deployments would leave them. Each pod depends on the
// options and its number alone, so that they can be made in any order.
type fleet struct {
	options    PodOptions
	namespaces []string
	apps       []*app
	owner      []int32                   // the app of each pod
	kubelet    map[bool]map[state]string // the fields it owns of pods with and without init containers
}

// app is one Deployment with one ReplicaSet: what its pods have in common.
type app struct {
	namespace, team, name, hash string
	created                     time.Time
	template                    *corev1.Pod // as the controller sends it, with the server's defaults
	specFields                  string      // that the controller owns
}

// newFleet spreads n pods over Deployments of many sizes, and these over the
// namespaces, a few of which have most of them.
func newFleet(n int, o PodOptions) (*fleet, error) {
	f := &fleet{options: o, namespaces: namespaceNames(o.Namespaces), owner: make([]int32, 0, n), kubelet: map[bool]map[state]string{}}
	rng := rand.New(rand.NewPCG(o.Seed, 0))
	for len(f.owner) < n {
		a, err := f.newApp(rng, len(f.apps))
		if err != nil {
			return nil, err
		}
		replicas := 1 + int(rng.ExpFloat64()*20)
		if len(f.apps) == 0 {
			replicas += len(states) // each state is in the first Deployment once
		}
		for range min(replicas, n-len(f.owner)) {
			f.owner = append(f.owner, int32(len(f.apps)))
		}
		f.apps = append(f.apps, a)
	}
	return f, nil
}

func namespaceNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = teams[i%len(teams)]
		if round := i / len(teams); round > 0 {
			names[i] += fmt.Sprintf("-%d", round+1)
		}
	}
	return names
}

func (f *fleet) newApp(rng *rand.Rand, number int) (*app, error) {
	// The square makes the first namespaces the large ones.
	place := rng.Float64()
	namespace := int(place * place * float64(len(f.namespaces)))
	if number < len(f.namespaces) {
		namespace = number // none stays empty
	}
	a := &app{
		namespace: f.namespaces[namespace],
		team:      teams[namespace%len(teams)],
		name:      appNames[rng.IntN(len(appNames))],
		hash:      letters(rng.Uint64(), 10),
		created:   f.options.Now.Add(-time.Duration(rng.ExpFloat64() * float64(20*24*time.Hour))).Truncate(time.Second),
	}
	withInit := number%8 == 0
	a.template = a.newTemplate(rng, withInit)
	var err error
	if a.specFields, err = fieldsOf(a.template); err != nil {
		return nil, fmt.Errorf("fields of %s: %w", specManager, err)
	}
	if f.kubelet[withInit] == nil {
		f.kubelet[withInit], err = kubeletFields(a.template)
	}
	return a, err
}

func (a *app) newTemplate(rng *rand.Rand, withInit bool) *corev1.Pod {
	image := fmt.Sprintf("%s/%s/%s:v%d.%d.%d", registries[rng.IntN(len(registries))], a.team, a.name, 1+rng.IntN(4), rng.IntN(30), rng.IntN(10))
	controller := true
	set := a.team + "-" + a.name + "-" + a.hash
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName: set + "-",
			Labels: map[string]string{
				"app": a.name, "team": a.team, "pod-template-hash": a.hash,
				"app.kubernetes.io/version": image[strings.LastIndex(image, ":")+1:],
			},
			Annotations: map[string]string{"prometheus.io/scrape": "true", "prometheus.io/port": "8080"},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "ReplicaSet", Name: set, UID: uid(rng),
				Controller: &controller, BlockOwnerDeletion: &controller,
			}},
		},
		Spec: podSpec(a, image),
	}
	if rng.IntN(5) == 0 {
		pod.Spec.Containers = append(pod.Spec.Containers, sidecar())
	}
	if withInit {
		pod.Spec.InitContainers = []corev1.Container{initContainer(image)}
	}
	return pod
}

// podSpec is a pod template's spec with the defaults the apiserver fills in.
func podSpec(a *app, image string) corev1.PodSpec {
	grace, links := int64(30), true
	return corev1.PodSpec{
		Containers:                    []corev1.Container{mainContainer(a, image)},
		Volumes:                       []corev1.Volume{configVolume(a)},
		RestartPolicy:                 corev1.RestartPolicyAlways,
		DNSPolicy:                     corev1.DNSClusterFirst,
		ServiceAccountName:            a.name,
		DeprecatedServiceAccount:      a.name,
		SchedulerName:                 corev1.DefaultSchedulerName,
		EnableServiceLinks:            &links,
		TerminationGracePeriodSeconds: &grace,
		SecurityContext:               &corev1.PodSecurityContext{},
	}
}

func configVolume(a *app) corev1.Volume {
	mode := corev1.ConfigMapVolumeSourceDefaultMode
	return corev1.Volume{Name: "config", VolumeSource: corev1.VolumeSource{
		ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: a.team + "-" + a.name},
			DefaultMode:          &mode,
		},
	}}
}

func mainContainer(a *app, image string) corev1.Container {
	c := container(a.name, image, "250m", "512Mi")
	c.Args = []string{"--config=/etc/app/config.yaml", "--log-format=json"}
	c.Ports = []corev1.ContainerPort{
		{Name: "http", ContainerPort: 8080, Protocol: corev1.ProtocolTCP},
		{Name: "metrics", ContainerPort: 9090, Protocol: corev1.ProtocolTCP},
	}
	c.Env = []corev1.EnvVar{
		{Name: "TEAM", Value: a.team},
		{Name: "LOG_LEVEL", Value: "info"},
		{Name: "GOMEMLIMIT", Value: "450MiB"},
		{Name: "POD_NAME", ValueFrom: &corev1.EnvVarSource{
			FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.name"},
		}},
		{Name: "DATABASE_URL", ValueFrom: &corev1.EnvVarSource{
			SecretKeyRef: &corev1.SecretKeySelector{
				LocalObjectReference: corev1.LocalObjectReference{Name: a.name + "-database"}, Key: "url",
			},
		}},
	}
	c.LivenessProbe = probeOf("/healthz", 10)
	c.ReadinessProbe = probeOf("/readyz", 5)
	c.VolumeMounts = []corev1.VolumeMount{{Name: "config", ReadOnly: true, MountPath: "/etc/app"}}
	return c
}

func sidecar() corev1.Container {
	c := container("envoy", "docker.io/envoyproxy/envoy:v1.38.1", "50m", "128Mi")
	c.Ports = []corev1.ContainerPort{{Name: "admin", ContainerPort: 9901, Protocol: corev1.ProtocolTCP}}
	c.ReadinessProbe = probeOf("/ready", 5)
	return c
}

func initContainer(image string) corev1.Container {
	c := container("migrate", image, "100m", "128Mi")
	c.Args = []string{"migrate", "--wait"}
	return c
}

func container(name, image, cpu, memory string) corev1.Container {
	escalate := false
	amounts := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory),
	}
	return corev1.Container{
		Name: name, Image: image, ImagePullPolicy: corev1.PullIfNotPresent,
		Resources:                corev1.ResourceRequirements{Requests: amounts, Limits: amounts},
		TerminationMessagePath:   corev1.TerminationMessagePathDefault,
		TerminationMessagePolicy: corev1.TerminationMessageReadFile,
		SecurityContext:          &corev1.SecurityContext{AllowPrivilegeEscalation: &escalate},
	}
}

func probeOf(path string, period int32) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
			Path: path, Port: intstr.FromString("http"), Scheme: corev1.URISchemeHTTP,
		}},
		TimeoutSeconds: 1, PeriodSeconds: period, SuccessThreshold: 1, FailureThreshold: 3,
	}
}

// pod makes pod number i.
func (f *fleet) pod(i int) *corev1.Pod {
	rng := rand.New(rand.NewPCG(f.options.Seed, uint64(i)+1))
	a := f.apps[f.owner[i]]
	pod := a.template.DeepCopy()
	pod.Namespace = a.namespace
	pod.Name = pod.GenerateName + uniqueSuffix(i)
	pod.UID = uid(rng)
	pod.Generation = 1
	age := time.Duration(rng.Float64() * float64(f.options.Now.Sub(a.created)))
	created := f.options.Now.Add(-age).Truncate(time.Second)
	pod.CreationTimestamp = metav1.NewTime(created)
	admit(pod)
	pod.ManagedFields = []metav1.ManagedFieldsEntry{managedEntry(specManager, "", created, a.specFields)}
	f.run(pod, pickState(i, rng, hasInit(pod)), rng)
	return pod
}

func hasInit(pod *corev1.Pod) bool { return len(pod.Spec.InitContainers) > 0 }

// admit adds what the apiserver's admission adds, which nobody owns.
func admit(pod *corev1.Pod) {
	priority, policy, seconds := int32(0), corev1.PreemptLowerPriority, int64(300)
	pod.Spec.Priority, pod.Spec.PreemptionPolicy = &priority, &policy
	for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{
			Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds,
		})
	}
	token := "kube-api-access-" + pod.Name[len(pod.Name)-5:]
	pod.Spec.Volumes = append(pod.Spec.Volumes, tokenVolume(token))
	for _, list := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range list {
			list[i].VolumeMounts = append(list[i].VolumeMounts, corev1.VolumeMount{
				Name: token, ReadOnly: true, MountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
			})
		}
	}
}

// tokenVolume is the one that the ServiceAccount admission gives every pod.
func tokenVolume(name string) corev1.Volume {
	mode, expiry := corev1.ProjectedVolumeSourceDefaultMode, int64(3607)
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
		DefaultMode: &mode,
		Sources: []corev1.VolumeProjection{
			{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{ExpirationSeconds: &expiry, Path: "token"}},
			{ConfigMap: &corev1.ConfigMapProjection{
				LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"},
				Items:                []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}},
			}},
			{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{{
				Path: "namespace", FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"},
			}}}},
		},
	}}}
}

// uniqueSuffix looks random and differs for all i below 27⁵: the factor has no
// divisor in common with 27.
func uniqueSuffix(i int) string {
	const all = 27 * 27 * 27 * 27 * 27
	return letters(uint64(i)*7368787%all, 5)
}

func letters(n uint64, length int) string {
	text := make([]byte, length)
	for i := range text {
		text[i] = suffixLetters[n%uint64(len(suffixLetters))]
		n /= uint64(len(suffixLetters))
	}
	return string(text)
}

// uid is a version 4 UUID.
func uid(rng *rand.Rand) types.UID {
	a, b := rng.Uint64(), rng.Uint64()
	return types.UID(fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", a>>32, a>>16&0xffff, a&0xfff, 0x8000|b>>48&0x3fff, b&0xffffffffffff))
}
