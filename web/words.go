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
	where := "in the whole cluster"
	if ns := strings.ReplaceAll(s.Source.Namespace, ",", ", "); s.Proxy != nil && s.Proxy.Narrow {
		where = "in " + ns
	} else if s.Source.Objects > 0 {
		where = "in all of " + ns
	} else if ns != "" {
		where += ", nor in " + ns
	}
	w.Title = fmt.Sprintf("You may not list or watch %s %s", s.Source.Resource, where)
	w.Means = "Your user lacks the verbs list and watch for this resource."
	w.Do = "Ask whoever runs the cluster for them"
	if s.Source.Namespaced {
		w.Do += ", or name a namespace that you may read in the address: ?n=NAMESPACE"
	}
	w.Do += "."
	return w
}

// doAbout says what to do about an error, by what kind it is.
func doAbout(cause *wire.Status) string {
	switch {
	case cause.Origin == wire.FromSocket:
		return "The page tries again by itself. Check that the proxy is still running."
	case cause.Reason == wire.ReasonCertificate:
		return "Check the cluster's certificate-authority and tls-server-name in the kubeconfig."
	case cause.Reason == wire.ReasonCredentials:
		return "Run the kubeconfig's credential command by hand: kubectl get pods says the same."
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
	case "stale":
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
