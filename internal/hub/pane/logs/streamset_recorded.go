package logs

import (
	"time"

	"watchglass/internal/detail/log"
	"watchglass/internal/history"
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
