package kubectl

import (
	"slices"
	"strings"

	"watchglass/internal/detail"
	"watchglass/internal/quote"
)

// Command is a command for an object, with the key that copies it.
type Command struct {
	Title, Key string
	Args       []string // as the shell parses them
	Words      []string // quoted; joined by spaces, which is where lines may break
	Does       Doing
	Refused    string // why the shell can't take it; then there are no words
}

// Text is the whole command, quoted.
func (c Command) Text() string { return strings.Join(c.Words, " ") }

// Doing is a command's effect on the cluster.
type Doing uint8

// What a command does to the cluster.
const (
	Reads Doing = iota
	Modifies
	Destroys
)

// Object is the object that the commands are for.
type Object struct {
	detail.Head
	Reach  []string // kubectl's flags for the cluster and the user
	Chosen string   // the container that the user has selected
	target string   // resource/name, which can't be taken for a flag
}

// Commands returns all commands for an object, quoted for a shell. There are none for a
// resource that kubectl would take for a flag.
func Commands(o Object, shell quote.Shell) []Command {
	if o.Name == "" || !resourceName().MatchString(o.Resource) {
		return nil
	}
	if o.isHelm() {
		return helmCommands(o, shell)
	}
	o.target = o.Resource + "/" + o.Name
	var all []Command
	for _, r := range recipes {
		if r.kinds != "" && !strings.Contains(r.kinds, " "+o.Resource+" ") {
			continue
		}
		words := r.words(o)
		if words == nil {
			continue
		}
		all = append(all, commandOf(r, o.args(words), shell))
	}
	return all
}

// commandOf returns the command of a recipe, quoted for a shell.
func commandOf(r recipe, args []string, shell quote.Shell) Command {
	c := Command{Title: r.title, Key: r.key, Does: r.does, Args: args}
	var err error
	if c.Words, err = shell.Line(args); err != nil {
		c.Refused = err.Error()
	}
	return c
}

// args returns the words of a command. The flags for the cluster, the user and the namespace come
// after the verb and before anything that is not kubectl's.
func (o Object) args(words []string) []string {
	verb := 1
	if words[0] == "rollout" || words[0] == "top" || words[0] == "create" {
		verb = 2
	}
	line := slices.Concat([]string{"kubectl"}, words[:verb], o.Reach)
	if o.Namespace != "" {
		line = append(line, "--namespace="+o.Namespace)
	}
	for _, w := range words[verb:] {
		if w == "@" {
			w = o.target
		}
		line = append(line, w)
	}
	return line
}

// Refusals says which commands can't be quoted for the shell, and why.
func Refusals(commands []Command) string {
	titles, why := []string{}, ""
	for _, c := range commands {
		if c.Refused != "" {
			titles, why = append(titles, c.Title), c.Refused
		}
	}
	switch len(titles) {
	case 0:
		return ""
	case len(commands):
		return "No command is safe to paste: " + why + "."
	}
	return "Not safe to paste: " + strings.Join(titles, ", ") + " (" + why + ")."
}
