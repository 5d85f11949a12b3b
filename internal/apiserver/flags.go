//go:build !js

package apiserver

import "path/filepath"

// Flags returns the flags with which kubectl reaches the target from any folder, as the user of
// these options. The target must have been loaded with them. There are none for a pod's service
// account, which kubectl only finds in that pod. The demo cluster is only in our memory: its
// context is one that kubectl does not find, so that no command acts on another cluster.
func (o Options) Flags(t *Target) []string {
	switch {
	case t.inPod:
		return nil
	case t.IsDemo():
		return []string{"--context=" + t.Context}
	}
	var all []string
	add := func(flag, value string) {
		if value != "" {
			all = append(all, flag+"="+value)
		}
	}
	add("--kubeconfig", o.kubeconfigPath())
	add("--context", t.Context)
	add("--cluster", o.Cluster)
	add("--user", o.User)
	add("--as", o.As)
	add("--as-uid", o.AsUID)
	for _, group := range o.AsGroups {
		add("--as-group", group)
	}
	return all
}

// kubeconfigPath returns the absolute path of the kubeconfig file; "" if no flag names one. It has
// slashes on Windows too: a backslash can't be quoted for every shell.
func (o Options) kubeconfigPath() string {
	if o.Kubeconfig == "" {
		return ""
	}
	path, err := filepath.Abs(o.Kubeconfig)
	if err != nil { // the working directory is gone
		path = o.Kubeconfig
	}
	return filepath.ToSlash(path)
}
