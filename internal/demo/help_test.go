//go:build !js

package demo

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"watchglass/internal/demo/api"
)

func kindOf(resource string) *api.Kind {
	all := append(slices.Clone(api.Builtins()), databaseKind)
	return all[slices.IndexFunc(all, func(k *api.Kind) bool { return k.ID() == resource })]
}

func reasonOf(m api.Message) string { return m.(*corev1.Event).Reason }
