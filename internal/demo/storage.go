//go:build !js

package demo

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// storageClass is the cluster's only StorageClass.
const storageClass = "gp3"

// size is what every claim requests.
const size = "50Gi"

func claimSpec(volume string) corev1.PersistentVolumeClaimSpec {
	return corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, StorageClassName: ptr(storageClass), VolumeMode: ptr(corev1.PersistentVolumeFilesystem),
		Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{"storage": resource.MustParse(size)}}, VolumeName: volume,
	}
}

// addVolume creates the PersistentVolumeClaim of a StatefulSet's pod and its PersistentVolume.
// They stay when the pod is deleted.
func (w *world) addVolume(p *pod, at metav1.Time) {
	a := p.app
	uid := newUID(w.rng)
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: a.namespace, Name: "data-" + p.name, UID: uid, CreationTimestamp: at, Labels: a.selector(), Finalizers: []string{"kubernetes.io/pvc-protection"}},
		Spec:       claimSpec("pvc-" + string(uid)),
		Status: corev1.PersistentVolumeClaimStatus{
			Phase: corev1.ClaimBound, AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, Capacity: corev1.ResourceList{"storage": resource.MustParse(size)},
		},
	}
	if w.uidOf("persistentvolumeclaims", keyOf(claim)) != "" {
		return
	}
	w.put(claim)
	w.put(&corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: claim.Spec.VolumeName, CreationTimestamp: at, Finalizers: []string{"kubernetes.io/pv-protection"}},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: claim.Status.Capacity, AccessModes: claim.Spec.AccessModes, StorageClassName: storageClass, PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete, VolumeMode: claim.Spec.VolumeMode,
			ClaimRef:               &corev1.ObjectReference{Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name, UID: uid, APIVersion: "v1"},
			PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: "ebs.csi.aws.com", VolumeHandle: fmt.Sprintf("vol-%s", hexes(w.rng, 17)), FSType: "ext4"}},
		},
		Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeBound, LastPhaseTransitionTime: &at},
	})
}
