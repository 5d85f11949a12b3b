package web

import (
	"slices"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/quote"
)

// objectCommand is a kubectl command for the open object, with the key that copies it.
type objectCommand struct {
	title, key string
	args       []string // as the shell parses them
	words      []string // quoted; joined by spaces, which is where lines may break
	does       doing
	refused    string // why the shell can't take it; then there are no words
}

func (c objectCommand) text() string { return strings.Join(c.words, " ") }

// doing is a command's effect on the cluster.
type doing uint8

const (
	reads doing = iota
	changesIt
	destroys
)

// recipe builds a command for an object. It returns nil for other kinds.
type recipe struct {
	title string
	key   string
	does  doing
	kinds string // resources as in addresses, surrounded by spaces; "" for all
	words func(s subject) []string
}

// subject is the object that the commands are for.
type subject struct {
	detail.Head
	reach  []string // kubectl's flags for the cluster and the user
	target string   // resource/name, which can't be taken for a flag
	chosen string   // the container selected in the address
}

const (
	forRunners  = " pods deployments.apps replicasets.apps statefulsets.apps daemonsets.apps jobs.batch replicationcontrollers "
	forRollouts = " deployments.apps statefulsets.apps daemonsets.apps "
	forFronts   = " pods services deployments.apps replicasets.apps statefulsets.apps "
	forNodes    = " nodes "
	forCronJobs = " cronjobs.batch "
)

// recipes are all commands, in the order shown. The word "@" stands for the object.
var recipes = []recipe{
	{"Describe", "d", reads, "", fixedWords("describe", "@")},
	{"View YAML", "y", reads, "", fixedWords("get", "@", "-o", "yaml")},
	{"Follow logs", "l", reads, forRunners, logsWith("-f")},
	{"Logs", "L", reads, forRunners, logsWith()},
	{"Previous logs", "p", reads, forRunners, logsWith("--previous")},
	{"Open a shell", "e", changesIt, " pods deployments.apps replicasets.apps statefulsets.apps daemonsets.apps ", subject.shell},
	{"Port-forward", "f", reads, forFronts, subject.forward},
	{"CPU and memory usage", "t", reads, " pods nodes ", subject.top},
	{"Rollout status", "o", reads, forRollouts, fixedWords("rollout", "status", "@")},
	{"Rollout history", "h", reads, forRollouts, fixedWords("rollout", "history", "@")},
	{"Restart rollout", "r", changesIt, forRollouts, fixedWords("rollout", "restart", "@")},
	{"Roll back", "u", destroys, forRollouts, fixedWords("rollout", "undo", "@")},
	{"Scale", "s", changesIt, "", subject.scale},
	{"Run now (create job)", "n", changesIt, forCronJobs, subject.trigger},
	{"Suspend/Resume", "s", changesIt, forCronJobs, subject.suspend},
	{"Cordon/Uncordon", "c", changesIt, forNodes, subject.cordon},
	{"Drain", "D", destroys, forNodes, fixedWords("drain", "@", "--ignore-daemonsets", "--delete-emptydir-data")},
	{"Debug node", "b", changesIt, forNodes, fixedWords("debug", "-it", "@", "--image=busybox")},
	{"Debug container", "b", changesIt, " pods ", subject.debug},
	{"Edit", "E", changesIt, "", fixedWords("edit", "@")},
	{"Set label", "a", changesIt, "", fixedWords("label", "@", "KEY=VALUE")},
	{"Set annotation", "A", changesIt, "", fixedWords("annotate", "@", "KEY=VALUE")},
	{"Delete", "X", destroys, "", fixedWords("delete", "@")},
}

func fixedWords(words ...string) func(subject) []string {
	return func(subject) []string { return words }
}

// container returns the chosen container, else the object's default, else the first regular
// one.
func (s subject) container() string {
	first := s.Default
	for _, c := range s.Containers {
		if c.Name == s.chosen {
			return c.Name
		}
		if first == "" && c.Role == "" {
			first = c.Name
		}
	}
	return first
}

func (s subject) withContainer(words ...string) []string {
	if c := s.container(); c != "" {
		words = append(words, "-c", c)
	}
	return words
}

func logsWith(more ...string) func(subject) []string {
	return func(s subject) []string {
		return s.withContainer(append([]string{"logs", "@"}, more...)...)
	}
}

func (s subject) shell() []string {
	return append(s.withContainer("exec", "-it", "@"), "--", "sh")
}

func (s subject) debug() []string {
	words := []string{"debug", "-it", "@", "--image=busybox"}
	if c := s.container(); c != "" {
		words = append(words, "--target="+c)
	}
	return words
}

// forward forwards the object's ports, each from a local port of its own: kubectl skips one that is taken.
// Privileged ports are mapped to 8000 above or further, since only an administrator can open them locally.
func (s subject) forward() []string {
	words, ports := []string{"port-forward", "@"}, s.forwarded()
	if len(ports) == 0 {
		return nil
	}
	taken := slices.Clone(ports)
	for _, port := range ports {
		here := port
		if port < 1024 {
			for here += 8000; slices.Contains(taken, here); {
				here += 1000
			}
			taken = append(taken, here)
		}
		words = append(words, strconv.FormatInt(here, 10)+":"+strconv.FormatInt(port, 10))
	}
	return words
}

// mostForwarded is the most ports that one command forwards.
const mostForwarded = 8

// forwarded returns the ports that are forwarded, without duplicates.
func (s subject) forwarded() (ports []int64) {
	for _, p := range s.Ports {
		if p.Number > 0 && p.Number < 1<<16 && !slices.Contains(ports, p.Number) && len(ports) < mostForwarded {
			ports = append(ports, p.Number)
		}
	}
	return ports
}

// top gives kubectl top a plain name, which is all it accepts. The name comes after "--", so it
// can't be taken for a flag.
func (s subject) top() []string {
	return []string{"top", strings.TrimSuffix(s.Resource, "s"), "--", s.Name}
}

func (s subject) scale() []string {
	if s.Replicas == nil {
		return nil
	}
	return []string{"scale", "@", "--replicas=" + strconv.FormatInt(*s.Replicas, 10)}
}

// longestJob is the longest job name that pod names can be derived from.
const longestJob = 63

// trigger puts the job's name before any "--", since what follows is the job's command.
func (s subject) trigger() []string {
	const suffix = "-by-hand"
	if strings.HasPrefix(s.Name, "-") {
		return nil // kubectl would take it for a flag
	}
	name := s.Name[:min(len(s.Name), longestJob-len(suffix))]
	return []string{"create", "job", name + suffix, "--from=cronjob/" + s.Name}
}

// suspend suspends a CronJob, or resumes it. There is no command while it is not known which applies.
func (s subject) suspend() []string {
	if !s.known() {
		return nil
	}
	// YAML avoids the quotes that JSON needs and shells disagree on. A leading brace would make
	// kubectl parse it as JSON.
	return []string{"patch", "@", "-p", "spec: {suspend: " + strconv.FormatBool(!s.Suspended) + "}"}
}

// cordon cordons a node, or uncordons it. There is no command while it is not known which applies.
func (s subject) cordon() []string {
	if !s.known() {
		return nil
	}
	if s.Cordoned {
		return []string{"uncordon", "@"}
	}
	return []string{"cordon", "@"}
}

// known reports whether the object has been read. Of a marked row, and of what has just been opened, only
// the name is known.
func (s subject) known() bool { return s.UID != "" }

// commandsFor returns all commands for an object, quoted for a shell. There are none for a
// resource that kubectl would take for a flag.
func commandsFor(s subject, shell quote.Shell) []objectCommand {
	if s.Name == "" || !resourceName().MatchString(s.Resource) {
		return nil
	}
	if s.isHelm() {
		return helmCommands(s, shell)
	}
	s.target = s.Resource + "/" + s.Name
	var all []objectCommand
	for _, r := range recipes {
		if r.kinds != "" && !strings.Contains(r.kinds, " "+s.Resource+" ") {
			continue
		}
		words := r.words(s)
		if words == nil {
			continue
		}
		all = append(all, commandOf(r, s.args(words), shell))
	}
	return all
}

// commandOf returns the command of a recipe, quoted for a shell.
func commandOf(r recipe, args []string, shell quote.Shell) objectCommand {
	c := objectCommand{title: r.title, key: r.key, does: r.does, args: args}
	var err error
	if c.words, err = shell.Line(args); err != nil {
		c.refused = err.Error()
	}
	return c
}

// args returns the words of a command. The flags for the cluster, the user and the namespace come
// after the verb and before anything that is not kubectl's.
func (s subject) args(words []string) []string {
	verb := 1
	if words[0] == "rollout" || words[0] == "top" || words[0] == "create" {
		verb = 2
	}
	line := slices.Concat([]string{"kubectl"}, words[:verb], s.reach)
	if s.Namespace != "" {
		line = append(line, "--namespace="+s.Namespace)
	}
	for _, w := range words[verb:] {
		if w == "@" {
			w = s.target
		}
		line = append(line, w)
	}
	return line
}

// subject returns the open object, or else the active row.
func (cs *commands) subject(active string) subject {
	f := cs.drawer.asked
	s := subject{chosen: cs.address.Container, reach: cs.session.reach()}
	switch {
	case f.Name != "" && cs.drawer.head != nil:
		s.Head = *cs.drawer.head
	case f.Name != "":
		s.Resource, s.Namespace, s.Name = f.Resource, f.Namespace, f.Name
	default:
		of := cs.address.ObjectOf(active)
		if s.Resource, s.Namespace, s.Name = of.Resource, of.Namespace, of.Name; !cs.address.Mixed() {
			s.Resource = cs.here()
		}
	}
	return s
}

// commands is the part with the kubectl commands for the object that keys act on.
type commands struct {
	*page
	quoteFor quote.Shell // shell to quote commands for
}

func newCommands(p *page) *commands { return &commands{page: p, quoteFor: recalledShell(p.browser)} }

func (cs *commands) actions() map[Action]func(string) {
	return map[Action]func(string){
		Commands: ignoreValue(cs.show), TakeCommand: cs.copyAt, PickShell: cs.pickShell,
		CopyText: func(text string) { cs.copyOut(text, "Copied: "+text+cs.caution()) },
	}
}

// show opens the dialog with the object's commands.
func (cs *commands) show() {
	of := cs.subject(cs.list.target())
	all := commandsFor(of, cs.quoteFor)
	if len(all) == 0 {
		cs.notices.say(notice{text: "No kubectl commands here. Select an object first."})
		return
	}
	cs.dialogs.show(dialog{kind: commandsDialog, subject: of, commands: all}, "commands")
}

// copyAt copies one of the commands shown.
func (cs *commands) copyAt(value string) {
	d := cs.dialogs.open.Load()
	at, err := strconv.Atoi(value)
	if d == nil || err != nil || at < 0 || at >= len(d.commands) || d.commands[at].refused != "" {
		return
	}
	text := d.commands[at].text()
	cs.dialogs.hide()
	cs.copyOut(text, "Copied: "+text+cs.caution())
}

// caution says what commands act on if that may not be what is on screen: the cluster of another
// context, or the cluster as it is now. It is "" if they act on what the page shows.
func (cs *commands) caution() string {
	if len(cs.session.reach()) == 0 {
		return " Runs in your current context: check that it is this cluster." + cs.past.commandsNow()
	}
	return cs.past.commandsNow()
}

// command returns the index of the command for a key, or -1.
func (d *dialog) command(k Key) int {
	if d.kind != commandsDialog || k.Command || k.Typing {
		return -1
	}
	return slices.IndexFunc(d.commands, func(c objectCommand) bool { return c.key == k.Name && c.refused == "" })
}

// doingWords are the labels of commands that do more than read.
var doingWords = map[doing]struct{ tone, text string }{
	reads:     {"", ""},
	changesIt: {"warning", "modifies the cluster"},
	destroys:  {"failed", "destructive"},
}

func (cs *commands) draw() app.UI {
	var items []app.UI
	for i, c := range cs.dialogs.open.Load().commands {
		if c.refused != "" {
			continue
		}
		var words []app.UI
		for _, w := range c.words {
			words = append(words, app.Span().Text(w), app.Text(" "))
		}
		items = append(items, app.Button().Class("command").DataSet("action", TakeCommand).DataSet("value", strconv.Itoa(i)).Attr("aria-keyshortcuts", c.key).Body(
			app.Elem("kbd").Text(c.key), app.Span().Class("name").Text(c.title),
			app.Span().Class("does").DataSet("tone", doingWords[c.does].tone).Text(doingWords[c.does].text),
			app.Elem("code").Body(words[:len(words)-1]...),
		))
	}
	refused, title := refusedWords(cs.dialogs.open.Load().commands), cs.dialogs.open.Load().subject.tool()+" commands"
	return app.Div().ID("commands").TabIndex(-1).Class("help commands").Attr("role", "dialog").Attr("aria-modal", "true").Attr("aria-label", title).Body(
		app.H1().Text(title),
		app.P().Class("dim").Text("Watchglass is read-only: press a key to copy a command, then run it yourself. Replace words in capitals."+cs.caution()),
		cs.drawShells(),
		app.P().ID("refused").Class("said").DataSet("tone", "warning").Attr("role", "status").Hidden(refused == "").Text(refused),
		app.Div().Class("offers").Body(items...),
		app.Button().Class("way").DataSet("action", Leave).Text("Close"),
	)
}

// refusedWords says which commands can't be quoted for the shell, and why.
func refusedWords(commands []objectCommand) string {
	titles, why := []string{}, ""
	for _, c := range commands {
		if c.refused != "" {
			titles, why = append(titles, c.title), c.refused
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

// offers returns the commands for the palette.
func (cs *commands) offers() []offer {
	if cs.drawer.asked.Name == "" {
		return nil
	}
	var all []offer
	of := cs.subject("")
	for _, c := range commandsFor(of, cs.quoteFor) {
		if c.refused != "" {
			continue
		}
		all = append(all, offer{action: CopyText, value: c.text(), text: of.tool() + ": " + c.title, hint: cs.drawer.asked.Name})
	}
	return all
}
