package web

import (
	"slices"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/quote"
)

// objectCommand is a kubectl command for the object that is open, and the key that
// takes it.
type objectCommand struct {
	title, key string
	args       []string // what the shell is to read
	words      []string // as they are typed: there are spaces between, and lines break there alone
	does       doing
	refused    string // why the shell cannot be given it; then there are no words
}

func (c objectCommand) text() string { return strings.Join(c.words, " ") }

// doing is what a command does to the cluster.
type doing uint8

const (
	reads doing = iota
	changesIt
	destroys
)

// recipe makes a command of an object; none where it is not of its kind.
type recipe struct {
	title string
	key   string
	does  doing
	kinds string // plurals as addresses have them, with spaces around; all if there are none
	words func(s subject) []string
}

// subject is the object that commands are for.
type subject struct {
	detail.Head
	context string
	target  string // resource/name: it cannot be taken for a flag
	chosen  string // container
}

const (
	forRunners  = " pods deployments.apps replicasets.apps statefulsets.apps daemonsets.apps jobs.batch replicationcontrollers "
	forRollouts = " deployments.apps statefulsets.apps daemonsets.apps "
	forFronts   = " pods services deployments.apps replicasets.apps statefulsets.apps "
	forNodes    = " nodes "
	forCronJobs = " cronjobs.batch "
)

// recipes are all commands, in the order in which they are shown. A word that is "@"
// stands for the object.
var recipes = []recipe{
	{"describe", "d", reads, "", fixedWords("describe", "@")},
	{"its YAML", "y", reads, "", fixedWords("get", "@", "-o", "yaml")},
	{"logs, followed", "l", reads, forRunners, logsWith("-f")},
	{"logs", "L", reads, forRunners, logsWith()},
	{"logs of the run before", "p", reads, forRunners, logsWith("--previous")},
	{"a shell in the container", "e", changesIt, " pods deployments.apps replicasets.apps statefulsets.apps daemonsets.apps ", subject.shell},
	{"forward its ports to here", "f", reads, forFronts, subject.forward},
	{"processor and memory", "t", reads, " pods nodes ", subject.top},
	{"how the rollout goes", "o", reads, forRollouts, fixedWords("rollout", "status", "@")},
	{"its revisions", "h", reads, forRollouts, fixedWords("rollout", "history", "@")},
	{"restart all its pods", "r", changesIt, forRollouts, fixedWords("rollout", "restart", "@")},
	{"back to the revision before", "u", destroys, forRollouts, fixedWords("rollout", "undo", "@")},
	{"scale", "s", changesIt, "", subject.scale},
	{"run it now", "n", changesIt, forCronJobs, subject.trigger},
	{"suspend, or resume", "s", changesIt, forCronJobs, subject.suspend},
	{"no new pods here, or again", "c", changesIt, forNodes, subject.cordon},
	{"move all pods away", "D", destroys, forNodes, fixedWords("drain", "@", "--ignore-daemonsets", "--delete-emptydir-data")},
	{"a shell on the node", "b", changesIt, forNodes, fixedWords("debug", "-it", "@", "--image=busybox")},
	{"a shell beside its containers", "b", changesIt, " pods ", subject.debug},
	{"edit", "E", changesIt, "", fixedWords("edit", "@")},
	{"set a label", "a", changesIt, "", fixedWords("label", "@", "KEY=VALUE")},
	{"set an annotation", "A", changesIt, "", fixedWords("annotate", "@", "KEY=VALUE")},
	{"delete", "X", destroys, "", fixedWords("delete", "@")},
}

func fixedWords(words ...string) func(subject) []string {
	return func(subject) []string { return words }
}

// container is the one that is chosen, or the one that the object says is meant, or the
// first that is there for its work.
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

// forward forwards ports: one that only the administrator may open here is opened 8000
// above.
func (s subject) forward() []string {
	words := []string{"port-forward", "@"}
	for _, p := range s.Ports {
		here := p.Number
		if here < 1024 {
			here += 8000
		}
		if pair := strconv.FormatInt(here, 10) + ":" + strconv.FormatInt(p.Number, 10); p.Number > 0 && p.Number < 1<<16 && !slices.Contains(words, pair) && len(words) < 10 {
			words = append(words, pair)
		}
	}
	if len(words) == 2 {
		return nil
	}
	return words
}

// top takes a name alone, which is put where no flag can stand.
func (s subject) top() []string {
	return []string{"top", strings.TrimSuffix(s.Resource, "s"), "--", s.Name}
}

func (s subject) scale() []string {
	if s.Replicas == nil {
		return nil
	}
	return []string{"scale", "@", "--replicas=" + strconv.FormatInt(*s.Replicas, 10)}
}

// longestJob is the longest name of a job from which pods can be named.
const longestJob = 63

// trigger names the job before any "--": behind it stands what the job is to run.
func (s subject) trigger() []string {
	const suffix = "-by-hand"
	if strings.HasPrefix(s.Name, "-") {
		return nil // it would be a flag
	}
	name := s.Name[:min(len(s.Name), longestJob-len(suffix))]
	return []string{"create", "job", name + suffix, "--from=cronjob/" + s.Name}
}

func (s subject) suspend() []string {
	// YAML needs none of the quotes that JSON does, on which shells disagree. With a brace
	// before it kubectl would take it for JSON.
	return []string{"patch", "@", "-p", "spec: {suspend: " + strconv.FormatBool(!s.Suspended) + "}"}
}

func (s subject) cordon() []string {
	if s.Cordoned {
		return []string{"uncordon", "@"}
	}
	return []string{"cordon", "@"}
}

// commandsFor are all commands for an object, as a shell is given them. A kind that
// kubectl would take for a flag has none.
func commandsFor(s subject, shell quote.Shell) []objectCommand {
	if s.Name == "" || !resourceName.MatchString(s.Resource) {
		return nil
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
		c := objectCommand{title: r.title, key: r.key, does: r.does, args: s.args(words)}
		var err error
		if c.words, err = shell.Line(c.args); err != nil {
			c.refused = err.Error()
		}
		all = append(all, c)
	}
	return all
}

// args are the words of a command. Context and namespace stand behind the verb, and
// before what is not kubectl's.
func (s subject) args(words []string) []string {
	verb := 1
	if words[0] == "rollout" || words[0] == "top" || words[0] == "create" {
		verb = 2
	}
	line := append([]string{"kubectl"}, words[:verb]...)
	if s.context != "" {
		line = append(line, "--context="+s.context)
	}
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

// subject is the object that is open, or the row that is active.
func (cs *commands) subject(active string) subject {
	f := cs.drawer.asked
	s := subject{chosen: cs.address.Container}
	if cs.state.Proxy != nil {
		s.context = cs.state.Proxy.Context
	}
	switch {
	case f.Name != "" && cs.drawer.head != nil:
		s.Head = *cs.drawer.head
	case f.Name != "":
		s.Resource, s.Namespace, s.Name = f.Resource, f.Namespace, f.Name
	default:
		namespace, name, ok := strings.Cut(active, "/")
		if !ok {
			namespace, name = "", active
		}
		s.Resource, s.Namespace, s.Name = cs.here(), namespace, name
	}
	return s
}

// commands is the kubectl commands for the object that keys act on.
type commands struct {
	*page
	quoteFor quote.Shell // that commands are pasted into
}

func newCommands(p *page) *commands { return &commands{page: p, quoteFor: recalledShell(p.browser)} }

func (cs *commands) actions() map[Action]func(string) {
	return map[Action]func(string){
		Commands: does(cs.show), TakeCommand: cs.copyAt, PickShell: cs.pickShell,
		CopyText: func(text string) { cs.copyOut(text, "Copied: "+text) },
	}
}

// openCommands shows what there is for the object.
func (cs *commands) show() {
	of := cs.subject(cs.list.target())
	all := commandsFor(of, cs.quoteFor)
	if len(all) == 0 {
		cs.notices.say(notice{text: "Choose an object first: there is no kubectl command for this."})
		return
	}
	cs.dialogs.show(dialog{kind: commandsDialog, subject: of, commands: all}, "commands")
}

// takeCommand copies one of those that are shown.
func (cs *commands) copyAt(value string) {
	d := cs.dialogs.open.Load()
	at, err := strconv.Atoi(value)
	if d == nil || err != nil || at < 0 || at >= len(d.commands) || d.commands[at].refused != "" {
		return
	}
	text := d.commands[at].text()
	cs.dialogs.hide()
	cs.copyOut(text, "Copied: "+text)
}

// command is the place of the one that a key takes, or -1.
func (d *dialog) command(k Key) int {
	if d.kind != commandsDialog || k.Command || k.Typing {
		return -1
	}
	return slices.IndexFunc(d.commands, func(c objectCommand) bool { return c.key == k.Name && c.refused == "" })
}

// doingWords say what a command does, where it does more than read.
var doingWords = map[doing]struct{ tone, text string }{
	reads:     {"", ""},
	changesIt: {"warning", "changes something"},
	destroys:  {"failed", "destroys something"},
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
			app.Kbd().Text(c.key), app.Span().Class("name").Text(c.title),
			app.Span().Class("does").DataSet("tone", doingWords[c.does].tone).Text(doingWords[c.does].text),
			app.Code().Body(words[:len(words)-1]...),
		))
	}
	refused := refusedWords(cs.dialogs.open.Load().commands)
	return app.Div().ID("commands").TabIndex(-1).Class("help commands").Attr("role", "dialog").Attr("aria-modal", "true").Attr("aria-label", "kubectl commands").Body(
		app.H1().Text("kubectl commands"),
		app.P().Class("dim").Text("Watchglass changes nothing: a key copies the command, and you run it. Words in capitals are for you to replace."),
		cs.drawShells(),
		app.P().ID("refused").Class("said").DataSet("tone", "warning").Attr("role", "status").Hidden(refused == "").Text(refused),
		app.Div().Class("offers").Body(items...),
		app.Button().Class("way").DataSet("action", Leave).Text("Close"),
	)
}

// refusedWords say which commands the shell cannot be given, and why.
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

// commandOffers are the commands in the palette.
func (cs *commands) offers() []offer {
	if cs.drawer.asked.Name == "" {
		return nil
	}
	var all []offer
	for _, c := range commandsFor(cs.subject(""), cs.quoteFor) {
		if c.refused != "" {
			continue
		}
		all = append(all, offer{action: CopyText, value: c.text(), text: "kubectl: " + c.title, hint: cs.drawer.asked.Name})
	}
	return all
}
