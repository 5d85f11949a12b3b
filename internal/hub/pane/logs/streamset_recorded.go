package logs

import (
	"time"

	"watchglass/internal/detail/log"
	"watchglass/internal/history"
	"watchglass/internal/sorting"
)

// logs returns the lines in memory, each with its time, by container. Lines without a known time are left
// out.
func (s *streamSet) logs(now time.Time) (all []history.Log) {
	s.store.Merge(now)
	places := make(map[int]int, len(s.streams))
	byName := make(map[[3]string]int)
	for _, st := range s.streams {
		if st.state == log.Denied { // it may no longer be read
			continue
		}
		name := [3]string{st.pod.namespace, st.pod.name, st.source.Container}
		i, ok := byName[name] // a pod may have replaced one of the same name
		if !ok {
			i = len(all)
			byName[name] = i
			all = append(all, history.Log{Namespace: name[0], Pod: name[1], Container: name[2], Previous: st.asked.Previous, Object: st.pod.packed})
		}
		places[st.source.Number()] = i
		all[i].Gaps, all[i].Known = append(all[i].Gaps, st.gaps(now)...), true
	}
	for i := range all {
		sorting.StableBy(all[i].Gaps, func(a, b history.Gap) int { return a.From.Compare(b.From) })
	}
	s.store.Each(func(source int, at int64, line []byte) {
		i, ok := places[source]
		if !ok || at == 0 {
			return
		}
		text := append(time.Unix(0, at).UTC().AppendFormat(all[i].Text, time.RFC3339Nano), ' ')
		all[i].Text = append(append(text, line...), '\n')
	})
	return all
}

// gaps returns the times in which lines of the stream are missing.
func (s *stream) gaps(now time.Time) (all []history.Gap) {
	known, _ := s.source.Gaps(now)
	if opened := s.source.Opened(); s.asked.Since > 0 && opened > 0 {
		known = append([]log.Gap{{To: opened - s.asked.Since*int64(time.Second)}}, known...)
	}
	for _, g := range known {
		gap := history.Gap{To: time.Unix(0, g.To).UTC(), UID: s.pod.uid}
		if g.From > 0 {
			gap.From = time.Unix(0, g.From).UTC()
		}
		all = append(all, gap)
	}
	return all
}
