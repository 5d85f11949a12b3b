package kubectl

import (
	"fmt"
	"strings"

	"watchglass/internal/detail"
	"watchglass/internal/quote"
)

// helmRecipes are the commands for a Helm release. The word "@" stands for its name.
var helmRecipes = []recipe{
	{"Status", "s", Reads, "", fixedWords("status", "@")},
	{"History", "h", Reads, "", fixedWords("history", "@")},
	{"Manifest", "m", Reads, "", fixedWords("get", "manifest", "@")},
	{"Values", "v", Reads, "", fixedWords("get", "values", "@")},
	{"Notes", "n", Reads, "", fixedWords("get", "notes", "@")},
	{"Roll back", "u", Destroys, "", fixedWords("rollback", "@", "REVISION")},
	{"Uninstall", "X", Destroys, "", fixedWords("uninstall", "@")},
}

// isHelm reports whether commands for an object are Helm's. A resource of the server that has the name of
// the releases is kubectl's.
func (o Object) isHelm() bool {
	return o.Resource == detail.Releases && (o.APIVersion == "" || o.APIVersion == detail.ReleaseVersion)
}

// Tool returns the program of the commands for an object.
func (o Object) Tool() string {
	if o.isHelm() {
		return "helm"
	}
	return "kubectl"
}

// helmCommands returns all commands for a release, quoted for a shell. There are none for a name that no
// release has, which helm might take for a flag.
func helmCommands(o Object, shell quote.Shell) []Command {
	if !detail.IsReleaseName(o.Name) {
		return nil
	}
	reach, err := helmReach(o.Reach)
	var all []Command
	for _, r := range helmRecipes {
		c := commandOf(r, o.helmArgs(r.words(o), reach), shell)
		if err != nil {
			c.Words, c.Refused = nil, err.Error()
		}
		all = append(all, c)
	}
	return all
}

// helmFlags are helm's names for kubectl's flags.
var helmFlags = map[string]string{"--kubeconfig": "--kubeconfig", "--context": "--kube-context", "--as": "--kube-as-user", "--as-group": "--kube-as-group"}

// helmReach returns helm's flags for kubectl's. It returns an error if helm lacks one: without it, a
// command would reach another cluster, or act as another user.
func helmReach(reach []string) ([]string, error) {
	var all []string
	for _, flag := range reach {
		name, value, _ := strings.Cut(flag, "=")
		if helmFlags[name] == "" {
			return nil, fmt.Errorf("helm has no flag for kubectl's %s", name)
		}
		all = append(all, helmFlags[name]+"="+value)
	}
	return all, nil
}

// helmArgs returns the words of a command, with the release, its namespace, and the flags for the
// cluster and the user.
func (o Object) helmArgs(words, reach []string) []string {
	line := []string{"helm"}
	for _, w := range words {
		if w == "@" {
			w = o.Name
		}
		line = append(line, w)
	}
	if o.Namespace != "" {
		line = append(line, "--namespace="+o.Namespace)
	}
	return append(line, reach...)
}

// helmList makes it the command that lists releases, and says what that leaves out.
func (c *ListCommand) helmList(l List) {
	c.Args = []string{"helm", "list"}
	c.Note = "Helm 3 lists only deployed and failed releases: add --all for the others. Helm 4 lists all."
	filter, where := c.namespace(l)
	c.Args = append(c.Args, where...)
	reach, err := helmReach(l.Reach)
	if err != nil {
		c.Refused = err.Error()
	}
	c.Args = append(c.Args, reach...)
	if l.Address.Labels != "" {
		c.Unsaid = append(c.Unsaid, "labels "+l.Address.Labels)
	}
	if filter != "" {
		c.Unsaid = append(c.Unsaid, "filter "+filter)
	}
	if l.Address.Group != "" {
		c.Unsaid = append(c.Unsaid, "grouping by "+l.Address.Group)
	} else if l.Address.Sort != "" {
		c.Unsaid = append(c.Unsaid, "sorting by "+l.Address.Sort)
	}
}
