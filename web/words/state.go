package words

import (
	"fmt"
	"strings"
	"time"

	"watchglass/internal/detail/yaml"
	"watchglass/internal/port"
	"watchglass/internal/wire"
)

// Explanation describes a problem: a title, the original message and its sender, what it means here,
// and what to do.
type Explanation struct {
	Title   string
	Message string // verbatim
	By      string // introduces it: who said so
	Means   string
	Do      string
}

// Explain describes a state that is not live. ok is false if there is nothing to say.
func Explain(s port.State) (w Explanation, ok bool) {
	cause := s.Source.Cause
	if cause != nil {
		w.Message, w.By = strings.TrimPrefix(cause.Message, "connect to the proxy: "), OriginWords[cause.Origin]
	}
	switch s.Source.State {
	case port.Denied:
		return explainDenied(w, s), true
	case port.Gone:
		w.Title = "The apiserver has no resource type " + s.Source.Resource
		if w.By == OriginWords[wire.FromTab] && strings.HasPrefix(w.Message, "the apiserver has no resource type") {
			w.Message, w.By = "", "" // the title says it
		}
		w.Means = "It is not installed, or it was removed."
		w.Do = "Check the address, or go to pods. It will appear here once it is installed."
		return w, true
	case port.Offline:
		w.Title, w.Message, w.By = "No network", "", "" // the title is our own; nobody else said anything
		w.Means = "Data is from before the network was lost."
		w.Do = "Reconnects when the network is back."
		return w, true
	case port.Stale:
		if s.Source.Polled > 0 && s.Source.AsOf.IsZero() {
			return explainPolled(w, s), true
		}
		w.Title = "Stale since " + s.Source.Since.Local().Format("15:04:05")
		w.Means = "Data may be out of date."
		if throttled(s) {
			w.Title, w.Means = "Throttled since "+s.Source.Since.Local().Format("15:04:05"), "Data may be out of date: requests are limited."
		}
		if !s.Source.AsOf.IsZero() {
			w.Title = "As of " + asOf(s.Source.AsOf, time.Now())
			w.Means = "Showing rows saved on your last visit."
		}
	case port.Throttled:
		w.Title = "Throttled"
		w.Means = loaded(s) + ": requests are limited."
	case port.Connecting:
		if cause == nil {
			return Explanation{}, false
		}
		w.Title = "No response yet"
		if cause.Reason == wire.ReasonQueued {
			w.Title = "Waiting for the apiserver"
		}
		w.Means = loaded(s) + "."
	default:
		return Explanation{}, false
	}
	if cause == nil {
		w.Do = "Loading what has changed since."
		return w, true
	}
	w.Do = doAbout(cause)
	return w, true
}

// OriginWords introduce what an origin said.
var OriginWords = map[wire.Origin]string{
	wire.FromAPIServer: "the apiserver said",
	wire.FromProxy:     "the Watchglass proxy said",
	wire.FromNetwork:   "the network between the proxy and the apiserver said",
	wire.FromSocket:    "can't reach the Watchglass proxy",
	wire.FromPlugin:    "the credential plugin said",
	wire.FromTab:       "this page said",
}

// CantList says that a list can't be read, and who refused it.
func CantList(name string, cause *wire.Status) string {
	return name + " can't be listed; " + OriginWords[cause.Origin] + ": " + yaml.Visible(cause.Message)
}

// loaded says how much of a list is in that is not complete: of several namespaces, some may be.
func loaded(s port.State) string {
	if s.Source.Objects > 0 && strings.Contains(s.Source.Namespace, ",") {
		return "Not everything has loaded yet"
	}
	return "Nothing has loaded yet"
}

func explainDenied(w Explanation, s port.State) Explanation {
	if s.Source.Cause != nil && s.Source.Cause.Code == 401 {
		w.Title = "The apiserver rejected the credentials"
		w.Means = "They are invalid or expired."
		w.Do = "Sign in again with your cluster's login tool, or fix the kubeconfig. Watchglass notices when it changes."
		if s.Proxy != nil && s.Proxy.Auth != "local" { // the kubeconfig is the operator's, and read at the start
			w.Do = "Sign in again. If that does not help, the proxy's own credentials are invalid: its operator has to renew them and restart Watchglass."
		}
		return w
	}
	verb := verbOf(s.Source.Cause)
	if s.Source.Rest != "" {
		w.Title = fmt.Sprintf("You can't %s %s in %s", verb, s.Source.Resource, Listed(s.Source.Denied))
		w.Means = "Your user lacks the " + verb + " verb for this resource there."
		w.Do = "The rest is " + s.Source.Rest + ". Missing objects appear once you have access."
		return w
	}
	where := " cluster-wide"
	if ns := Listed(s.Source.Namespace); s.Proxy != nil && s.Proxy.Narrow {
		where = " in " + ns
	} else if ns != "" {
		where += ", or in " + ns
	} else if s.Source.Kind != "" && !s.Source.Namespaced {
		where = ""
	}
	w.Title = fmt.Sprintf("You can't %s %s%s", verb, s.Source.Resource, where)
	w.Means = "Your user lacks the " + verb + " verb for this resource."
	w.Do = "Ask a cluster admin for the list and watch verbs"
	if s.Source.Namespaced && (s.Proxy == nil || !s.Proxy.Narrow) {
		w.Do += ", or open a namespace you have access to, here or in the address: ?n=NAMESPACE"
	}
	w.Do += "."
	return w
}

// explainPolled describes a list that can be listed but not watched.
func explainPolled(w Explanation, s port.State) Explanation {
	where := ""
	if s.Source.PolledIn != "" {
		where = " in " + Listed(s.Source.PolledIn)
	}
	w.Means = "Data is as old as the last poll."
	polled := "Polled every " + Every(s.Source.Polled) + ": "
	if w.By == OriginWords[wire.FromTab] { // the title says it
		w.Message, w.By = "", ""
	}
	switch cause := s.Source.Cause; {
	case cause != nil && cause.Reason == wire.ReasonBuffered:
		w.Title = polled + "watch events may arrive late"
		w.Means = "A load balancer or ingress in front of the apiserver may be buffering its responses."
		w.Do = "Turn off response buffering there (nginx: proxy_buffering off). The list then becomes live."
	case cause != nil && cause.Unwatchable():
		w.Title = polled + s.Source.Resource + " can't be watched"
	case cause != nil && cause.TooManyRequests():
		w.Title = polled + "the apiserver can't serve a watch of " + s.Source.Resource + " yet"
		w.Do = "Retrying. The list becomes live once it can."
	default:
		w.Title = fmt.Sprintf("%syou can list %s%s, but not watch them", polled, s.Source.Resource, where)
		w.Do = "Ask a cluster admin for the watch verb. The list then becomes live."
	}
	return w
}

// verbOf returns the verb that was refused. It relies on the wording of Kubernetes' forbidden
// errors; the default is list.
func verbOf(cause *wire.Status) string {
	if cause != nil {
		before, _, ok := strings.Cut(cause.Message, ` resource "`)
		if words := strings.Fields(before); ok && len(words) > 1 && words[len(words)-2] == "cannot" {
			return words[len(words)-1]
		}
	}
	return "list"
}

// Limits says which namespaces are shown, and why no others.
func Limits(s port.State) string {
	if s.Proxy != nil && s.Proxy.Narrow {
		return "Limited to " + Listed(s.Source.Namespace) + " by --namespace."
	}
	return "Showing " + NamespacesWord(s.Source.Namespace) + " only: you can't list " + s.Source.Resource + " cluster-wide. Add namespaces with n."
}

// NamespacesWord names namespaces in a sentence.
func NamespacesWord(list string) string {
	if strings.Contains(list, ",") {
		return "namespaces " + Listed(list)
	}
	return "namespace " + list
}

// doAbout says what to do about an error.
func doAbout(cause *wire.Status) string {
	switch {
	case cause.Origin == wire.FromSocket:
		return "Retrying. Check that the proxy is still running."
	case cause.Reason == wire.ReasonCertificate:
		return "Check the cluster's certificate-authority and tls-server-name in the kubeconfig."
	case cause.Reason == wire.ReasonCredentials:
		return "Run the kubeconfig's credential command in a terminal, then return to this page. It retries at once."
	case cause.Reason == wire.ReasonTooLarge:
		return "One object exceeds the size limit. Retrying until it is gone."
	case cause.Reason == wire.ReasonMalformed:
		return "The server may not be an apiserver, or something in between alters its responses. Check the server in the kubeconfig."
	case cause.Reason == wire.ReasonUnreachable:
		return "Retrying. Check that the cluster is up and that kubectl can reach it."
	case cause.Reason == wire.ReasonQueued:
		return "The apiserver is busy, and users take turns. Loads when it is your turn."
	case cause.TooManyRequests() && cause.Origin == wire.FromProxy:
		return "Close pages that you don't need."
	case cause.TooManyRequests():
		return "The apiserver is limiting requests. Retrying after the delay it asked for."
	}
	return "Retrying."
}

// throttled reports whether rows are stale because requests are limited.
func throttled(s port.State) bool {
	return s.Source.State == port.Stale && s.Source.Cause != nil && s.Source.Cause.Throttled()
}

// Badge returns the state in a word, for the top bar.
func Badge(s port.State) string {
	switch state := s.Source.State; {
	case state == port.Stale && !s.Source.AsOf.IsZero():
		return "As of " + asOf(s.Source.AsOf, time.Now())
	case state == port.Stale && s.Source.Polled > 0:
		return "Polled"
	case throttled(s):
		return "Throttled"
	case state == port.Denied && s.Source.Rest != "":
		return "Partly denied"
	case state == port.Gone:
		return "Not served"
	case state == "":
		return "Connecting"
	default:
		return strings.ToUpper(state[:1]) + state[1:]
	}
}

// resumeWithin is how long a resume from the last visit may take before a banner explains it. Most are
// faster, and the banner would flash.
const resumeWithin = time.Second

// ResumingSoon reports whether the rows of the last visit are expected to be live in a moment.
func ResumingSoon(s port.State, now time.Time) bool {
	return !s.Source.AsOf.IsZero() && s.Source.Cause == nil && now.Sub(s.Source.Since) < resumeWithin
}

// Paused returns what the badge says while the list is paused: how many changes are pending.
func Paused(waiting int) string {
	if waiting == 0 {
		return "Paused"
	}
	return "Paused · " + Count(waiting)
}

// CauseText quotes the message and names its source.
func CauseText(w Explanation) string {
	if w.Message == "" {
		return w.Means
	}
	return Sentence(w.By) + ": " + w.Message
}
