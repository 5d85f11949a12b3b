//go:build !js

package apiserver

import (
	"fmt"
	"os"
	"reflect"
	"strings"

	"k8s.io/client-go/tools/clientcmd/api"
)

// settings are what the kubeconfig says of a target. Files that it names are not part of them: client-go
// reads these again by itself.
type settings struct {
	cluster   *api.Cluster
	user      *api.AuthInfo
	namespace string
}

// newSettings returns the entries of the named cluster and user. Credentials that a legacy
// auth-provider renews, and then writes into the kubeconfig, are left out.
func newSettings(raw api.Config, cluster, user, namespace string) settings {
	s := settings{raw.Clusters[cluster], raw.AuthInfos[user], namespace}
	if s.user != nil && s.user.AuthProvider != nil {
		s.user = s.user.DeepCopy()
		s.user.AuthProvider.Config = nil
	}
	return s
}

// Same reports whether the kubeconfig said the same of two targets when they were loaded.
func (t *Target) Same(other *Target) bool {
	return t.Cluster == other.Cluster && t.User == other.User && reflect.DeepEqual(t.settings, other.settings)
}

// Stamp returns when the files of the kubeconfig were written and how long they are. It differs
// after each change.
func (o Options) Stamp() string {
	var text strings.Builder
	for _, name := range o.loader().ConfigAccess().GetLoadingPrecedence() {
		if file, err := os.Stat(name); err == nil {
			fmt.Fprintln(&text, name, file.ModTime().UnixNano(), file.Size())
		}
	}
	return text.String()
}
