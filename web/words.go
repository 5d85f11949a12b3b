package web

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"watchglass/internal/port"
	"watchglass/internal/wire"
)

// Words tell a person what is wrong, in one vocabulary: what it is, what was
// said and by whom, what it means here, and what to do.
type Words struct {
	Title string
	Said  string // verbatim
	By    string
	Means string
	Do    string
}

var speakers = map[wire.Origin]string{
	wire.FromAPIServer: "the apiserver",
	wire.FromProxy:     "the Watchglass proxy",
	wire.FromNetwork:   "the network between the proxy and the apiserver",
	wire.FromSocket:    "the connection between this page and the proxy",
	wire.FromPlugin:    "the credential plugin",
	wire.FromTab:       "this page",
}

// Explain words a state that is not live; ok is false if there is nothing to say.
func Explain(s port.State) (w Words, ok bool) {
	cause := s.Source.Cause
	if cause != nil {
		w.Said, w.By = cause.Message, speakers[cause.Origin]
	}
	switch s.Source.State {
	case "denied":
		return explainDenied(w, s), true
	case "gone":
		w.Title = fmt.Sprintf("There are no %s here", s.Source.Resource)
		w.Means = "The cluster does not serve this kind of resource, or does not any more."
		w.Do = "Check the address, or go to the pods. If the kind is being installed, it appears by itself."
		return w, true
	case "offline":
		w.Title, w.Said, w.By = "No network", "", "" // it is our own word that nobody else said
		w.Means = "What is shown was true when the network went."
		w.Do = "It goes on by itself when the network is back."
		return w, true
	case "stale":
		if s.Source.Polled > 0 {
			return explainPolled(w, s), true
		}
		w.Title = "Stale since " + s.Source.Since.Local().Format("15:04:05")
		w.Means = "What is shown may be old."
	case "connecting":
		if cause == nil {
			return Words{}, false
		}
		w.Title = "No answer yet"
		w.Means = "Nothing has come, so there is nothing to show."
	default:
		return Words{}, false
	}
	if cause == nil {
		w.Do = "The watch is being opened again."
		return w, true
	}
	w.Do = doAbout(cause)
	return w, true
}

func explainDenied(w Words, s port.State) Words {
	if s.Source.Cause != nil && s.Source.Cause.Code == 401 {
		w.Title = "The apiserver does not accept the credentials"
		w.Means = "They are wrong, or have expired."
		w.Do = "Sign in again with your cluster's own tool, or mend the kubeconfig; then start Watchglass anew."
		return w
	}
	verb := verbOf(s.Source.Cause)
	if s.Source.Rest != "" {
		w.Title = fmt.Sprintf("You may not %s %s in %s", verb, s.Source.Resource, listed(s.Source.Denied))
		w.Means = "Your user lacks the verb " + verb + " for this resource there."
		w.Do = "The rest is " + s.Source.Rest + ". What is missing appears by itself when you may."
		return w
	}
	where := " in the whole cluster"
	if ns := listed(s.Source.Namespace); s.Proxy != nil && s.Proxy.Narrow {
		where = " in " + ns
	} else if ns != "" {
		where += ", nor in " + ns
	} else if s.Source.Kind != "" && !s.Source.Namespaced {
		where = ""
	}
	w.Title = fmt.Sprintf("You may not %s %s%s", verb, s.Source.Resource, where)
	w.Means = "Your user lacks the verb " + verb + " for this resource."
	w.Do = "Ask whoever runs the cluster for the verbs list and watch"
	if s.Source.Namespaced && (s.Proxy == nil || !s.Proxy.Narrow) {
		w.Do += ", or name a namespace in which you may, here or in the address: ?n=NAMESPACE"
	}
	w.Do += "."
	return w
}

// explainPolled words what may be listed and not watched.
func explainPolled(w Words, s port.State) Words {
	where := ""
	if s.Source.PolledIn != "" {
		where = " in " + listed(s.Source.PolledIn)
	}
	w.Means = "What is shown is as old as the last list."
	polled := "Polled every " + every(s.Source.Polled) + ": "
	if w.By == speakers[wire.FromTab] { // the title says it
		w.Said, w.By = "", ""
	}
	switch cause := s.Source.Cause; {
	case cause != nil && cause.Reason == wire.ReasonBuffered:
		w.Title = polled + "watch events may arrive late"
		w.Means = "A load balancer or ingress in front of the apiserver may be buffering its responses."
		w.Do = "Turn off response buffering there (nginx: proxy_buffering off). The list then becomes live."
	case cause != nil && cause.Unwatchable():
		w.Title = polled + s.Source.Resource + " cannot be watched"
	case cause != nil && cause.TooManyRequests():
		w.Title = polled + "the apiserver is not ready to serve a watch of " + s.Source.Resource
		w.Do = "Retrying. The list becomes live once it can."
	default:
		w.Title = fmt.Sprintf("%syou may list %s%s, but not watch them", polled, s.Source.Resource, where)
		w.Do = "It becomes live by itself when you may watch. The verb to ask for is watch."
	}
	return w
}

// verbOf is the verb that was refused, by the words that every apiserver has for it.
func verbOf(cause *wire.Status) string {
	if cause != nil {
		before, _, ok := strings.Cut(cause.Message, ` resource "`)
		if words := strings.Fields(before); ok && len(words) > 1 && words[len(words)-2] == "cannot" {
			return words[len(words)-1]
		}
	}
	return "list"
}

// listed writes names with commas between.
func listed(list string) string { return strings.ReplaceAll(list, ",", ", ") }

// limits says which namespaces are shown of all, and why no others.
func limits(s port.State) string {
	out := "Limited to " + listed(s.Source.Namespace)
	if s.Proxy != nil && s.Proxy.Narrow {
		return out + ", as --namespace says."
	}
	return out + ": you may not list " + s.Source.Resource + " in the whole cluster. When you may, the rest appears by itself."
}

// every writes milliseconds that somebody chose.
func every(ms int64) string {
	if ms%60_000 == 0 {
		return strconv.FormatInt(ms/60_000, 10) + " min"
	}
	return strconv.FormatInt(ms/1000, 10) + " s"
}

// doAbout says what to do about an error, by what kind it is.
func doAbout(cause *wire.Status) string {
	switch {
	case cause.Origin == wire.FromSocket:
		return "The page tries again by itself. Check that the proxy is still running."
	case cause.Reason == wire.ReasonCertificate:
		return "Check the cluster's certificate-authority and tls-server-name in the kubeconfig."
	case cause.Reason == wire.ReasonCredentials:
		return "Run the kubeconfig's credential command in a terminal, then return to this page. It retries at once."
	case cause.Reason == wire.ReasonTooLarge:
		return "One object is larger than may pass. The rest is listed again and again until it is gone."
	case cause.Reason == wire.ReasonMalformed:
		return "Something between the proxy and the apiserver changes the answers, or it is no apiserver. Check the server in the kubeconfig."
	case cause.Reason == wire.ReasonUnreachable:
		return "The proxy tries again by itself. Check that the cluster is up, and that kubectl reaches it."
	case cause.TooManyRequests():
		return "The apiserver asked to wait; it is asked again after that."
	}
	return "It is tried again by itself."
}

// Badge is the short form of a state, for the top line.
func Badge(s port.State) string {
	switch s.Source.State {
	case "live":
		out := "live"
		if s.Source.Version != "" {
			out += " · v " + s.Source.Version
		}
		return out + " · " + seconds(s.Source.Age)
	case "syncing":
		return "syncing · " + Count(s.Source.Objects) + " so far"
	case "denied":
		if s.Source.Rest != "" {
			return "denied in part · rest " + s.Source.Rest
		}
	case "stale":
		if s.Source.Polled > 0 {
			return "polled every " + every(s.Source.Polled) + " · " + seconds(s.Source.Age) + " ago"
		}
		return "stale since " + s.Source.Since.Local().Format("15:04:05")
	case "":
		return "connecting"
	}
	return s.Source.State
}

// Paused says that what changes waits, and how much has.
func Paused(waiting int) string {
	switch waiting {
	case 0:
		return "paused"
	case 1:
		return "paused, 1 change waits"
	}
	return "paused, " + Count(waiting) + " changes wait"
}

// seconds writes milliseconds as "0.2 s", the more roughly the more they are.
func seconds(ms int64) string {
	if ms < 10_000 {
		return strconv.FormatFloat(float64(ms)/1000, 'f', 1, 64) + " s"
	}
	return (time.Duration(ms) * time.Millisecond).Truncate(time.Second).String()
}

// Count writes a number with its thousands apart.
func Count(n int) string {
	s := strconv.Itoa(n)
	var out strings.Builder
	for i, c := range s {
		if i > 0 && (len(s)-i)%3 == 0 && s[i-1] != '-' {
			out.WriteByte(',')
		}
		out.WriteRune(c)
	}
	return out.String()
}
