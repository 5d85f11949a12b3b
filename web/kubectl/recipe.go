package kubectl

import (
	"slices"
	"strconv"
	"strings"
)

// recipe builds a command for an object. It returns nil for other kinds.
type recipe struct {
	title string
	key   string
	does  Doing
	kinds string // resources as in addresses, surrounded by spaces; "" for all
	words func(o Object) []string
}

// Runners are the kinds of which kubectl prints logs, surrounded by spaces.
const Runners = " pods deployments.apps replicasets.apps statefulsets.apps daemonsets.apps jobs.batch replicationcontrollers "

const (
	forRollouts = " deployments.apps statefulsets.apps daemonsets.apps "
	forFronts   = " pods services deployments.apps replicasets.apps statefulsets.apps "
	forNodes    = " nodes "
	forCronJobs = " cronjobs.batch "
)

// recipes are all commands, in the order shown. The word "@" stands for the object.
var recipes = []recipe{
	{"Describe", "d", Reads, "", fixedWords("describe", "@")},
	{"View YAML", "y", Reads, "", fixedWords("get", "@", "-o", "yaml")},
	{"Follow logs", "l", Reads, Runners, logsWith("-f")},
	{"Logs", "L", Reads, Runners, logsWith()},
	{"Previous logs", "p", Reads, Runners, logsWith("--previous")},
	{"Open a shell", "e", Modifies, " pods deployments.apps replicasets.apps statefulsets.apps daemonsets.apps ", Object.shell},
	{"Port-forward", "f", Reads, forFronts, Object.forward},
	{"CPU and memory usage", "t", Reads, " pods nodes ", Object.top},
	{"Rollout status", "o", Reads, forRollouts, fixedWords("rollout", "status", "@")},
	{"Rollout history", "h", Reads, forRollouts, fixedWords("rollout", "history", "@")},
	{"Restart rollout", "r", Modifies, forRollouts, fixedWords("rollout", "restart", "@")},
	{"Roll back", "u", Destroys, forRollouts, fixedWords("rollout", "undo", "@")},
	{"Scale", "s", Modifies, "", Object.scale},
	{"Run now (create job)", "n", Modifies, forCronJobs, Object.trigger},
	{"Suspend/Resume", "s", Modifies, forCronJobs, Object.suspend},
	{"Cordon/Uncordon", "c", Modifies, forNodes, Object.cordon},
	{"Drain", "D", Destroys, forNodes, fixedWords("drain", "@", "--ignore-daemonsets", "--delete-emptydir-data")},
	{"Debug node", "b", Modifies, forNodes, fixedWords("debug", "-it", "@", "--image=busybox")},
	{"Debug container", "b", Modifies, " pods ", Object.debug},
	{"Edit", "E", Modifies, "", fixedWords("edit", "@")},
	{"Set label", "a", Modifies, "", fixedWords("label", "@", "KEY=VALUE")},
	{"Set annotation", "A", Modifies, "", fixedWords("annotate", "@", "KEY=VALUE")},
	{"Delete", "X", Destroys, "", fixedWords("delete", "@")},
}

func fixedWords(words ...string) func(Object) []string {
	return func(Object) []string { return words }
}

// container returns the chosen container, else the object's default, else the first regular
// one.
func (o Object) container() string {
	first := o.Default
	for _, c := range o.Containers {
		if c.Name == o.Chosen {
			return c.Name
		}
		if first == "" && c.Role == "" {
			first = c.Name
		}
	}
	return first
}

func (o Object) withContainer(words ...string) []string {
	if c := o.container(); c != "" {
		words = append(words, "-c", c)
	}
	return words
}

func logsWith(more ...string) func(Object) []string {
	return func(o Object) []string {
		return o.withContainer(append([]string{"logs", "@"}, more...)...)
	}
}

func (o Object) shell() []string {
	return append(o.withContainer("exec", "-it", "@"), "--", "sh")
}

func (o Object) debug() []string {
	words := []string{"debug", "-it", "@", "--image=busybox"}
	if c := o.container(); c != "" {
		words = append(words, "--target="+c)
	}
	return words
}

// forward forwards the object's ports, each from a local port of its own: kubectl skips one that is taken.
// Privileged ports are mapped to 8000 above or further, since only an administrator can open them locally.
func (o Object) forward() []string {
	words, ports := []string{"port-forward", "@"}, o.forwarded()
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
func (o Object) forwarded() (ports []int64) {
	for _, p := range o.Ports {
		if p.Number > 0 && p.Number < 1<<16 && !slices.Contains(ports, p.Number) && len(ports) < mostForwarded {
			ports = append(ports, p.Number)
		}
	}
	return ports
}

// top gives kubectl top a plain name, which is all it accepts. The name comes after "--", so it
// can't be taken for a flag.
func (o Object) top() []string {
	return []string{"top", strings.TrimSuffix(o.Resource, "s"), "--", o.Name}
}

func (o Object) scale() []string {
	if o.Replicas == nil {
		return nil
	}
	return []string{"scale", "@", "--replicas=" + strconv.FormatInt(*o.Replicas, 10)}
}

// longestJob is the longest job name that pod names can be derived from.
const longestJob = 63

// trigger puts the job's name before any "--", since what follows is the job's command.
func (o Object) trigger() []string {
	const suffix = "-by-hand"
	if strings.HasPrefix(o.Name, "-") {
		return nil // kubectl would take it for a flag
	}
	name := o.Name[:min(len(o.Name), longestJob-len(suffix))]
	return []string{"create", "job", name + suffix, "--from=cronjob/" + o.Name}
}

// suspend suspends a CronJob, or resumes it. There is no command while it is not known which applies.
func (o Object) suspend() []string {
	if !o.known() {
		return nil
	}
	// YAML avoids the quotes that JSON needs and shells disagree on. A leading brace would make
	// kubectl parse it as JSON.
	return []string{"patch", "@", "-p", "spec: {suspend: " + strconv.FormatBool(!o.Suspended) + "}"}
}

// cordon cordons a node, or uncordons it. There is no command while it is not known which applies.
func (o Object) cordon() []string {
	if !o.known() {
		return nil
	}
	if o.Cordoned {
		return []string{"uncordon", "@"}
	}
	return []string{"cordon", "@"}
}

// known reports whether the object has been read. Of a marked row, and of what has just been opened, only
// the name is known.
func (o Object) known() bool { return o.UID != "" }
