package logs

import (
	"time"

	"watchglass/internal/history"
)

// Logs returns the lines that are in memory, each with its time, by container. Lines whose time is not
// known are left out.
func (p *logPane) Logs() (all []history.Log) {
	p.lines.store.Merge(p.host.Now())
	places := make(map[int]int, len(p.streams.streams))
	byName := make(map[[3]string]int)
	for _, s := range p.streams.streams {
		name := [3]string{s.pod.namespace, s.pod.name, s.source.Container}
		i, ok := byName[name] // a pod may have followed another of its name
		if !ok {
			i = len(all)
			byName[name] = i
			all = append(all, history.Log{Namespace: name[0], Pod: name[1], Container: name[2], Previous: s.asked.Previous})
		}
		places[s.source.Number()] = i
	}
	p.lines.store.Each(func(source int, at int64, line []byte) {
		i, ok := places[source]
		if !ok || at == 0 {
			return
		}
		text := append(time.Unix(0, at).UTC().AppendFormat(all[i].Text, time.RFC3339Nano), ' ')
		all[i].Text = append(append(text, line...), '\n')
	})
	return all
}
