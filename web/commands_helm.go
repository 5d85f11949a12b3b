package web

import (
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
	var all []objectCommand
	for _, r := range helmRecipes {
		all = append(all, commandOf(r, s.helmArgs(r.words(s)), shell))
	}
	return all
}

// helmArgs returns the words of a command, with the release, its namespace and the context.
func (s subject) helmArgs(words []string) []string {
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
	if s.context != "" {
		line = append(line, "--kube-context="+s.context)
	}
	return line
}

// helmList returns the command that lists releases, and says what it leaves out.
func (c *command) helmList(g *page) {
	c.args = []string{"helm", "list"}
	c.note = "Helm 3 lists only deployed and failed releases: add --all for the others. Helm 4 lists all."
	filter, where := c.namespace(g, g.address.Filter)
	c.args = append(c.args, where...)
	if w := g.state.Proxy; w != nil && w.Context != "" {
		c.args = append(c.args, "--kube-context="+w.Context)
	}
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
