package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"
)

// connectionsNotes say how things were measured, as far as the names do not.
const connectionsNotes = `Idle: everything that goes over a connection is its heartbeats, each way every 2 s; the proxy asks the apiserver now and then
whether each watch is still allowed (--revoke-within is 30 s). A connection's share is the proxy's resident memory over what
it was before, 5 s after the last one came and 30 s later. Latency: when an event comes to a tab's end of the socket, less
when it comes to a client that watches the apiserver itself, in the same form and by the same clock; the apiserver serves all
its watchers in turn, so a tab may be the first, and the figure negative. The way through internal/socket is in it, and the
watchers' own work for the processor where the machine is full. Processor: of the relay alone, for as many events as its
watchers heard. Each turn has a fresh process; Watchglass and kubectl proxy take turns.
The two do not do the same: kubectl proxy passes bytes on and leaves managedFields in, from one watch for each watcher;
Watchglass has one watch for all that are alike, takes events apart, drops managedFields, gathers what comes together, gives and takes credit, and tells how fresh all is. In a browser kubectl proxy can
do no more than 6 watches of an origin at once; here it is asked for as many as there are.
`

// versions finds out what runs here.
func (c *connections) versions() (v versions, err error) {
	server, err := c.client.Discovery().ServerVersion()
	if err != nil {
		return nil, err
	}
	now, err := load()
	if err != nil {
		return nil, err
	}
	v.add("kube-apiserver and kubectl", server.GitVersion)
	v.add("Go", runtime.Version())
	v.add("machine", fmt.Sprintf("%d cores, %s/%s, load %s at the start", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, now))
	return v, nil
}

// sections are the figures as rows.
func (all *crowded) sections() []section {
	sections := []section{
		{fmt.Sprintf("%d connections, each with %d watches, nothing happens", all.idle.connections, len(idleResources)), all.idle.rows()},
		{fmt.Sprintf("%d connections, %d events/s over %d namespaces, each hears one", all.apart.watchers, eventsPerSecond, connectionsNamespaces),
			relayedRows("", []relayed{all.apart})},
	}
	for _, watchers := range besideConnections {
		name := fmt.Sprintf("%d connections, %d events/s, each hears all", watchers, all.pace(watchers))
		sections = append(sections, section{name, all.besideRows(watchers)})
	}
	return sections
}

// rows are what idle connections cost.
func (i idle) rows() []row {
	return []row{
		{Name: "proxy before them, RSS", Unit: megabytes, Values: sample{i.before / 1e6}, Budget: &budget{Most: proxyIdleMost}},
		{Name: "  with all of them", Unit: megabytes, Values: sample{i.after / 1e6}},
		i.shareRow(),
		{Name: "the proxy's processor, of one", Unit: percent, Values: sample{i.processor}},
		{Name: "the apiserver's, more than without them", Unit: percent, Values: sample{i.apiserver}},
		{Name: "watches at the apiserver", Unit: count, Values: sample{i.watches}},
		{Name: "reviews, a second: is the watch still allowed?", Unit: count, Values: sample{i.reviews}},
		{Name: "connections to the apiserver", Unit: count, Values: sample{float64(i.upstream)}},
		{Name: "all at once → all live", Unit: millis, Values: sample{float64(i.took.Milliseconds())}},
	}
}

// shareRow is what each connection adds to the proxy's memory.
func (i idle) shareRow() row {
	share := (i.after - i.before) / float64(i.connections)
	return row{Name: "  the share of each", Unit: kilobytes, Values: sample{share / 1e3}, Budget: &budget{Most: proxyTabMost}}
}

// besideRows are the contenders' turns before as many watchers.
func (all *crowded) besideRows(watchers int) (rows []row) {
	for i, who := range contenders {
		rows = append(rows, relayedRows(who.name+": ", all.turns[turn{i, watchers}])...)
	}
	for i, who := range contenders[1:] {
		over := all.ratios(turn{0, watchers}, turn{i + 1, watchers})
		for _, of := range []struct {
			what   string
			values sample
		}{{"processor", over.processor}, {"the apiserver's processor", over.apiserver}, {"p99", over.p99}, {"RSS", over.resident}, {"bytes", over.bytes}} {
			rows = append(rows, row{Name: fmt.Sprintf("ours / %s: %s", who.name, of.what), Unit: times, Values: of.values})
		}
	}
	return rows
}

// relayedRows are one relay's.
func relayedRows(who string, turns []relayed) []row {
	return []row{
		{Name: who + "events relayed, a second", Unit: count, Values: each(turns, relayed.perSecond)},
		{Name: who + "processor for 1,000 of them", Unit: millis, Values: each(turns, relayed.per1000)},
		{Name: who + "the apiserver's processor for them", Unit: millis, Values: each(turns, relayed.apiserverPer1000)},
		{Name: who + "latency, p50", Unit: millis, Values: each(turns, relayed.p50)},
		{Name: who + "latency, p99", Unit: millis, Values: each(turns, relayed.p99)},
		{Name: who + "the machine's use, by all", Unit: percent, Values: each(turns, func(l relayed) float64 { return l.machine })},
		{Name: who + "RSS", Unit: megabytes, Values: each(turns, relayed.megabytes)},
		{Name: who + "an event", Unit: kilobytes, Values: each(turns, relayed.kilobytes)},
	}
}

func (l relayed) perSecond() float64 { return float64(l.heard) / l.took.Seconds() }
func (l relayed) p50() float64       { return l.latency.quantile(0.5) }
func (l relayed) p99() float64       { return l.latency.quantile(0.99) }
func (l relayed) megabytes() float64 { return l.resident / 1e6 }
func (l relayed) kilobytes() float64 { return l.bytes / 1e3 }

// each is one figure of every turn.
func each(turns []relayed, figure func(l relayed) float64) sample {
	out := make(sample, 0, len(turns))
	for _, l := range turns {
		out = append(out, figure(l))
	}
	return out
}

// over is what one took of what another took, round by round.
type over struct{ processor, apiserver, p99, resident, bytes sample }

func (all *crowded) ratios(a, b turn) over {
	of := func(figure func(l relayed) float64) sample {
		return ratio(each(all.turns[a], figure), each(all.turns[b], figure))
	}
	return over{of(relayed.per1000), of(relayed.apiserverPer1000), of(relayed.p99), of(relayed.megabytes), of(relayed.kilobytes)}
}

// markdown is the tables of connections in the bench's README.
func (all *crowded) markdown(begin time.Time) string {
	var out strings.Builder
	all.idle.markdown(&out)
	out.WriteString("\n| busy connections | events relayed per second | CPU per 1,000 events | the apiserver's | latency, p50 | p99 | machine CPU | resident memory | bytes per event |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	one := fmt.Sprintf("%d connections, %d events/s in total, each to one of %d namespaces: Watchglass", all.apart.watchers, eventsPerSecond, connectionsNamespaces)
	relayedLine(&out, one, []relayed{all.apart})
	for _, watchers := range besideConnections {
		for i, who := range contenders {
			relayedLine(&out, fmt.Sprintf("%d × %d events/s: %s", watchers, all.pace(watchers), who.name), all.turns[turn{i, watchers}])
		}
		for i, who := range contenders[1:] {
			o := all.ratios(turn{0, watchers}, turn{i + 1, watchers})
			fmt.Fprintf(&out, "| Watchglass / %s | | %.2f × | %.2f × | | %.2f × | | %.2f × | %.2f × |\n", who.name, o.processor.median(), o.apiserver.median(), o.p99.median(), o.resident.median(), o.bytes.median())
		}
	}
	fmt.Fprintf(&out, "\nMedians of a run of `make connections` on %s", begin.UTC().Format("2006-01-02"))
	for _, v := range all.versions {
		value, _, _ := strings.Cut(v.Value, ", load")
		fmt.Fprintf(&out, "; %s %s", v.Name, value)
	}
	fmt.Fprintf(&out, ". %s\n", readmeNote)
	return out.String()
}

// readmeNote says what is compared with what.
const readmeNote = "Pods are realistic. The apiserver's CPU is all of it: at rest, for the writes, for the direct client and for what is relayed. Latency is the time after the same event reached a direct client of the apiserver, which the apiserver serves in turn with the others. " +
	"The two do different work: kubectl proxy passes bytes through, Watchglass parses events and drops `managedFields`, once for all connections of one user that watch the same, as these do. They took turns, each time in a new process. At four times as many events both cores are saturated, and the apiserver disconnects watchers."

func (i idle) markdown(out *strings.Builder) {
	line := func(name, format string, values ...any) { fmt.Fprintf(out, "| "+name+" | "+format+" |\n", values...) }
	share := i.shareRow()
	fmt.Fprintf(out, "| %s idle connections, each with %d watches | proxy |\n| --- | ---: |\n", grouped(i.connections), len(idleResources))
	line("resident memory, without them → with them", "%.0f MB → %.0f MB", i.before/1e6, i.after/1e6)
	line("memory per connection ("+share.allowed()+")", "%.0f KB, %s", share.Values.median(), share.verdict())
	line("CPU, of one core", "%.1f %%", i.processor)
	line("watches at the apiserver / connections to it", "%s / %d", grouped(int(i.watches)), i.upstream)
	line("checks whether a watch is still allowed, per second", "%.0f", i.reviews)
	line("all connect at once → all live", "%.1f s", i.took.Seconds())
}

// relayedLine is the turns of one relay.
func relayedLine(out *strings.Builder, name string, turns []relayed) {
	cell := func(u unit, figure func(l relayed) float64) string {
		r := row{Unit: u, Values: each(turns, figure)}
		return r.figure(r.Values.median()) + " " + string(u)
	}
	fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s | %.0f %% | %.0f MB | %.1f KB |\n", name, grouped(int(each(turns, relayed.perSecond).median())),
		cell(millis, relayed.per1000), cell(millis, relayed.apiserverPer1000), cell(millis, relayed.p50), cell(millis, relayed.p99),
		each(turns, func(l relayed) float64 { return l.machine }).median(), each(turns, relayed.megabytes).median(), each(turns, relayed.kilobytes).median())
}
