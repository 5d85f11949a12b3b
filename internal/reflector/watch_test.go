package reflector

import (
	"encoding/json"
	"errors"
	"testing"

	"watchglass/internal/wire"
)

// outcome is the result of a watch: the stored objects, the version that was reached, and how it
// ended, if it did.
type outcome struct{ things, version, end string }

// folded applies the events of a watch one after the other, by the rules of the API.
func folded(events []wire.Event, version string) (o outcome) {
	s, listed, printed := &sink{things: map[string]string{}}, version == "", false
	columns := ""
	defer func() { o.things, o.version = s.String(), version }()
	for _, e := range events {
		switch e.Type {
		case wire.Added, wire.Modified, wire.Deleted:
			obj, err := (&decoder{}).Decode(e.Payload)
			printed = printed || err == nil
			if err != nil || obj.version == "" { // a deletion needs no more than the key
				if obj, err = identify(e.Payload); err != nil || e.Type != wire.Deleted {
					o.end = "unreadable"
					return o
				}
			}
			if s.things[obj.key] = obj.version; e.Type == wire.Deleted {
				delete(s.things, obj.key)
			}
			if obj.version == "" {
				continue
			}
			if listed = listed && e.Type == wire.Added; !listed {
				version = obj.version
			}
		case wire.Bookmark:
			reached, _, _ := (&decoder{}).Bookmark(e.Payload)
			if reached == "" {
				o.end = "unreadable"
				return o
			}
			version, listed = reached, false
		case wire.Columns:
			if o.end = "relist"; printed && string(e.Payload) != columns {
				return o
			}
			o.end, columns = "", string(e.Payload)
		case wire.Error:
			o.end = "ended by the server"
			return o
		default:
			o.end = "unreadable"
			return o
		}
	}
	return o
}

// handed gives a Reflector the same events, in batches that end where cuts has a bit.
func handed(t *testing.T, events []wire.Event, version string, cuts uint64) (o outcome) {
	g := newRig(t, nil)
	g.position.version = version
	w := watching{synthetic: version == ""}
	var err error
	for from := 0; from < len(events) && err == nil; {
		to := from + 1
		for to < len(events) && cuts>>(to%64)&1 == 0 {
			to++
		}
		err = g.handleEvents(wire.Batch{Events: events[from:to]}, &w)
		from = to
	}
	o = outcome{g.sink.String(), g.position.version, ""}
	switch {
	case err == nil:
	case errors.Is(err, errRelist):
		o.end = "relist"
	case g.State().Rejected > 0:
		o.end = "unreadable"
	default:
		o.end = "ended by the server"
	}
	return o
}

// FuzzWatch compares the result of a watch with a fold of its events, whatever they are and however
// they are packed into frames.
func FuzzWatch(f *testing.F) {
	status, err := json.Marshal(&wire.Status{Origin: wire.FromAPIServer, Code: 410, Reason: wire.ReasonExpired})
	if err != nil {
		f.Fatal(err)
	}
	for _, words := range [][]string{
		{"+a@1", "~a@2", "-a@3"}, {"+a@1", "@5", "~b@7", "@9!"}, {"+a@1", "+b@1", "-z@4"},
		{"#x", "+a@1", "#x", "#y", "+b@2"}, {"+a@", "+b@2"}, {"+@1"}, {"@"}, {".a@1"}, {"?7"}, {"~a@1", "E", "+b@2"},
	} {
		var body []byte
		for _, word := range words {
			e := wire.Event{Type: wire.Error, Payload: status}
			if word != "E" {
				e = event(word, nil)
			}
			body = wire.AppendEvent(body, e.Type, e.Payload)
		}
		f.Add(body, "5", uint64(2))
		f.Add(body, "", uint64(5))
	}
	f.Fuzz(func(t *testing.T, body []byte, version string, cuts uint64) {
		frame := wire.Frame{Kind: wire.KindData, Body: append([]byte{1}, body...)}
		_, events, err := frame.Data(nil)
		if err != nil {
			return
		}
		if version == "0" {
			version = "" // whatever there is, as well
		}
		if want, got := folded(events, version), handed(t, events, version, cuts); got != want {
			t.Errorf("%q from %q on\nwant %q\ngot  %q", events, version, want, got)
		}
	})
}
