package web

import (
	"fmt"
	"strings"

	"watchglass/internal/detail"
	"watchglass/internal/quote"
)

// helmRecipes are the commands for a Helm release. The word "@" stands for its name.
var helmRecipes = []recipe{
	{"Status", "s", reads, "", fixedWords("status", "@")},
	{"History", "h", reads, "", fixedWords("history", "@")},
	{"Manifest", "m", reads, "", fixedWords("get", "manifest", "@")},
	{"Values", "v", reads, "", fixedWords("get", "values", "@")},
	{"Notes", "n", reads, "", fixedWords("get", "notes", "@")},
	{"Roll back", "u", destroys, "", fixedWords("rollback", "@", "REVISION")},
	{"Uninstall", "X", destroys, "", fixedWords("uninstall", "@")},
}

// isHelm reports whether commands for an object are Helm's. A resource of the server that has the name of
// the releases is kubectl's.
func (s subject) isHelm() bool {
	return s.Resource == detail.Releases && (s.APIVersion == "" || s.APIVersion == detail.ReleaseVersion)
}

// tool returns the program of the commands for an object.
func (s subject) tool() string {
	if s.isHelm() {
		return "helm"
	}
	return "kubectl"
}

// helmCommands returns all commands for a release, quoted for a shell. There are none for a name that no
// release has, which helm might take for a flag.
func helmCommands(s subject, shell quote.Shell) []objectCommand {
	if !detail.IsReleaseName(s.Name) {
		return nil
	}
	reach, err := helmReach(s.reach)
	var all []objectCommand
	for _, r := range helmRecipes {
		c := commandOf(r, s.helmArgs(r.words(s), reach), shell)
		if err != nil {
			c.words, c.refused = nil, err.Error()
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
func (s subject) helmArgs(words, reach []string) []string {
	line := []string{"helm"}
	for _, w := range words {
		if w == "@" {
			w = s.Name
		}
		line = append(line, w)
	}
	if s.Namespace != "" {
		line = append(line, "--namespace="+s.Namespace)
	}
	return append(line, reach...)
}

// helmList returns the command that lists releases, and says what it leaves out.
func (c *command) helmList(g *page) {
	c.args = []string{"helm", "list"}
	c.note = "Helm 3 lists only deployed and failed releases: add --all for the others. Helm 4 lists all."
	filter, where := c.namespace(g, g.address.Filter)
	c.args = append(c.args, where...)
	reach, err := helmReach(g.session.reach())
	if err != nil {
		c.refused = err.Error()
	}
	c.args = append(c.args, reach...)
	if g.address.Labels != "" {
		c.unsaid = append(c.unsaid, "labels "+g.address.Labels)
	}
	if filter != "" {
		c.unsaid = append(c.unsaid, "filter "+filter)
	}
	if g.address.Group != "" {
		c.unsaid = append(c.unsaid, "grouping by "+g.address.Group)
	} else if g.address.Sort != "" {
		c.unsaid = append(c.unsaid, "sorting by "+g.address.Sort)
	}
}
