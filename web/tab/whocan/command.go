package whocan

import (
	"strings"

	"watchglass/web/route"
)

// commandVerbs are the verbs of RBAC that kubectl is asked about, by the name of a column, if they
// differ; and the subresource of pods.
var commandVerbs = map[string][2]string{"edit": {"patch"}, "exec": {"create", "exec"}, "logs": {"get", "log"}}

// command is the kubectl command that asks about one user: about the verb that is picked, else
// whether they may delete.
func (t *Tab) command() string {
	of, verb := t.host.Subject(), t.host.Address().Access.Verb
	if verbsNamed(verb) == 0 {
		verb = "delete"
	}
	what, subresource := of.Resource, ""
	if c, found := commandVerbs[verb]; found {
		verb, subresource = c[0], c[1]
	}
	if subresource != "" && what != route.Home {
		what = route.Home // those of a workload
	} else if of.Name != "" {
		what += "/" + of.Name
	}
	args := []string{"kubectl", "auth", "can-i", verb, what}
	if subresource != "" {
		args = append(args, "--subresource="+subresource)
	}
	namespace := of.Namespace
	if in := t.host.ListNamespaces(); of.Name == "" && len(in) > 0 {
		namespace = in[0]
	}
	if namespace != "" {
		args = append(args, "-n", namespace)
	}
	line, err := t.host.Shell().Line(append(args, "--as", "USER"))
	if err != nil {
		return "kubectl auth can-i " + verb + " " + of.Resource + " --as USER" // the name can't be pasted safely
	}
	return strings.Join(line, " ")
}
