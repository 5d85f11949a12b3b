package informer

import (
	"errors"
	"testing"
	"time"

	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

func TestFresh(t *testing.T) {
	now := time.Now()
	good := Link{Connected: true, Heard: now.Add(-time.Second), Online: true}
	watching := State{State: reflector.State{Phase: reflector.Watching, Synced: true, Watched: true}, Alive: true, Age: 2 * time.Second, Objects: 3}
	with := func(s State, f func(*State)) State { f(&s); return s }
	failed := func(s *wire.Status) State {
		return with(watching, func(st *State) { st.Phase, st.Err, st.Alive = reflector.Waiting, s, false })
	}
	refused := &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: "refused"}
	unwatched := &wire.Status{Origin: wire.FromAPIServer, Code: 403}
	polled := State{State: reflector.State{Phase: reflector.Waiting, Err: unwatched, Unwatched: unwatched, Synced: true, Polled: 10 * time.Second, Listed: now.Add(-4 * time.Second)}, Objects: 3}
	for name, c := range map[string]struct {
		state  State
		link   Link
		want   Freshness
		age    time.Duration
		origin wire.Origin
	}{
		"live":                    {watching, good, Live, 2 * time.Second, ""},
		"a new list, not in yet":  {with(watching, func(s *State) { s.Replaced = true }), good, Stale, 2 * time.Second, ""},
		"too slow for what comes": {with(watching, func(s *State) { s.Full = 5 * time.Second }), good, Stale, 2 * time.Second, ""},
		"slow for a moment":       {with(watching, func(s *State) { s.Full = 3 * time.Second }), good, Live, 2 * time.Second, ""},
		"first moments":           {State{}, good, Connecting, time.Second, ""},
		"coming in":               {State{State: reflector.State{Phase: reflector.Listing}, Alive: true, Objects: 5}, good, Syncing, time.Second, ""},
		"in, and not watched yet": {State{State: reflector.State{Phase: reflector.Listing, Synced: true}, Alive: true, Objects: 5}, good, Syncing, time.Second, ""},
		"no proxy, nothing yet":   {State{}, Link{Online: true}, Connecting, now.Sub(time.Time{}), wire.FromSocket},
		"no proxy":                {watching, Link{Online: true, Heard: now.Add(-3 * time.Second), Err: errors.New("gone")}, Stale, 3 * time.Second, wire.FromSocket},
		"no network":              {watching, Link{Heard: now}, Offline, 2 * time.Second, wire.FromTab},
		"no network, and silence": {watching, Link{Connected: true, Heard: now.Add(-4 * time.Second)}, Offline, 4 * time.Second, wire.FromTab},
		"no network but this":     {watching, Link{Connected: true, Heard: now.Add(-2 * time.Second)}, Live, 2 * time.Second, ""},
		"proxy silent":            {watching, Link{Connected: true, Online: true, Heard: now.Add(-7 * time.Second)}, Stale, 7 * time.Second, wire.FromSocket},
		"apiserver silent":        {with(watching, func(s *State) { s.Age = 7 * time.Second }), good, Stale, 7 * time.Second, wire.FromNetwork},
		"paused for its right":    {with(watching, func(s *State) { s.Age, s.Paused = 7*time.Second, true }), good, Stale, 7 * time.Second, wire.FromProxy},
		"paused for a moment":     {with(watching, func(s *State) { s.Paused = true }), good, Live, 2 * time.Second, ""},
		"paused, and no proxy":    {with(watching, func(s *State) { s.Paused = true }), Link{Connected: true, Online: true, Heard: now.Add(-7 * time.Second)}, Stale, 7 * time.Second, wire.FromSocket},
		"silent while coming in":  {State{State: reflector.State{Phase: reflector.Listing}, Alive: true, Age: 9 * time.Second, Objects: 5}, good, Stale, 9 * time.Second, wire.FromNetwork},
		"apiserver away":          {failed(refused), good, Stale, time.Second, wire.FromNetwork},
		"apiserver away at first": {State{State: reflector.State{Phase: reflector.Waiting, Err: refused}}, good, Connecting, time.Second, wire.FromNetwork},
		"resuming":                {with(watching, func(s *State) { s.Phase, s.Alive = reflector.Resuming, false }), good, Stale, time.Second, ""},
		"saved, listing":          {with(watching, func(s *State) { s.Phase, s.Watched, s.AsOf = reflector.Listing, false, now.Add(-time.Hour) }), good, Stale, 2 * time.Second, ""},
		"saved, watching":         {with(watching, func(s *State) { s.AsOf = now.Add(-time.Hour) }), good, Stale, 2 * time.Second, ""},
		"saved, no proxy":         {with(watching, func(s *State) { s.AsOf = now.Add(-time.Hour) }), Link{Online: true, Heard: now.Add(-3 * time.Second)}, Stale, 3 * time.Second, wire.FromSocket},
		"listing anew":            {with(watching, func(s *State) { s.Phase = reflector.Listing }), good, Stale, 2 * time.Second, ""},
		"denied":                  {failed(&wire.Status{Origin: wire.FromAPIServer, Code: 403}), good, Denied, time.Second, wire.FromAPIServer},
		"token expired":           {failed(&wire.Status{Origin: wire.FromAPIServer, Code: 401}), good, Denied, time.Second, wire.FromAPIServer},
		"polled":                  {polled, good, Stale, 4 * time.Second, wire.FromAPIServer},
		"polled, first list":      {with(polled, func(s *State) { s.Synced = false }), good, Syncing, time.Second, ""},
		"polled, listing":         {with(polled, func(s *State) { s.Phase, s.Alive = reflector.Listing, true }), good, Stale, 4 * time.Second, wire.FromAPIServer},
		"polled, denied now":      {with(polled, func(s *State) { s.Err = &wire.Status{Origin: wire.FromAPIServer, Code: 403} }), good, Denied, time.Second, wire.FromAPIServer},
		"polled, no proxy":        {polled, Link{Online: true, Heard: now.Add(-3 * time.Second)}, Stale, 3 * time.Second, wire.FromSocket},
		"polled, token expired":   {with(polled, func(s *State) { s.Err = &wire.Status{Origin: wire.FromAPIServer, Code: 401} }), good, Denied, time.Second, wire.FromAPIServer},
		"polled, apiserver away":  {with(polled, func(s *State) { s.Err = refused }), good, Stale, time.Second, wire.FromNetwork},
		"listing after that":      {with(polled, func(s *State) { s.Err, s.Phase, s.Alive = refused, reflector.Listing, true }), good, Stale, time.Second, wire.FromNetwork},
		"no such kind":            {with(failed(&wire.Status{Origin: wire.FromAPIServer, Code: 404}), func(s *State) { s.Gone = true }), good, Gone, time.Second, wire.FromAPIServer},
		"no such kind yet":        {failed(&wire.Status{Origin: wire.FromAPIServer, Code: 404}), good, Stale, time.Second, wire.FromAPIServer},
		"unreadable":              {with(watching, func(s *State) { s.Phase, s.Err, s.Alive = reflector.Waiting, errors.New("bad event"), false }), good, Stale, time.Second, wire.FromTab},
	} {
		f, age, cause := Fresh(c.state, c.link, now)
		if f != c.want || age != c.age || (cause == nil) != (c.origin == "") || cause != nil && cause.Origin != c.origin {
			t.Errorf("%s: %s %v %+v", name, f, age, cause)
		}
	}
}
