package source

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

// stream is a scripted stream with one event per batch: "+a" is an item, "." the end of the
// list, "!…" an error, "?" silence for a while.
type stream struct {
	script []string
	after  error // after the script; nil: nothing comes
	credit int
	closed int
	next   int
}

// listPause is how long a scripted stream is silent at a "?".
const listPause = listQuiet - time.Second

func (s *stream) Next(ctx context.Context) (wire.Batch, error) {
	for s.next < len(s.script) {
		word := s.script[s.next]
		s.next++
		e := wire.Event{Payload: []byte(word[1:])}
		switch word[0] {
		case '+':
			e.Type = wire.Item
		case '.':
			e.Type = wire.ListEnd
		case '!':
			e.Type = wire.Error
		case '?':
			select {
			case <-time.After(listPause):
				continue
			case <-ctx.Done():
				return wire.Batch{}, ctx.Err()
			}
		}
		return wire.Batch{Events: []wire.Event{e}, Bytes: len(word)}, nil
	}
	if s.after != nil {
		return wire.Batch{}, s.after
	}
	<-ctx.Done()
	return wire.Batch{}, ctx.Err()
}

func (s *stream) Credit(n int)                { s.credit += n }
func (s *stream) Age(time.Time) time.Duration { return 0 }
func (s *stream) Encoding() wire.Encoding     { return wire.EncodingJSON }
func (s *stream) Close()                      { s.closed++ }

// TestReadList checks which items are read, and the error for a list that does not come to its
// end. The stream is always closed, and credit is given for what was read.
func TestReadList(t *testing.T) {
	for _, c := range []struct {
		script string
		after  error
		items  string
		next   string // where the list continues
		err    string
		took   time.Duration
		credit int
	}{
		{script: `+a +b .{"continue":"c1"}`, items: "a b", next: "c1", credit: 4},
		{script: `+a .{} +b`, items: "a", credit: 2},
		{script: `+a`, after: io.EOF, items: "a", err: "network: the list was interrupted", credit: 2},
		{script: `+a`, after: &wire.Status{Origin: wire.FromAPIServer, Message: "gone"}, items: "a", err: "gone", credit: 2},
		{script: `+a !{"origin":"apiserver","message":"expired"} .{}`, items: "a", err: "expired", credit: 2},
		{script: `!no`, err: "an error event without a status"},
		{script: `.no`, err: "invalid character"},
		{script: `+a ? +b ? .{}`, items: "a b", took: 2 * listPause, credit: 4},
		{script: `+a ?`, items: "a", err: "network: nothing received from the apiserver", took: listQuiet, credit: 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &stream{script: strings.Fields(c.script), after: c.after}
			var asked wire.Request
			server := reflector.SourceFunc(func(_ context.Context, r wire.Request) (reflector.Stream, error) {
				asked = r
				return s, nil
			})
			began := time.Now()
			var items []string
			meta, err := ReadList(t.Context(), server, wire.Request{Resource: "pods", Namespace: "a"}, func(payload []byte) { items = append(items, string(payload)) })
			if got := strings.Join(items, " "); got != c.items || meta.Continue != c.next {
				t.Errorf("%s: %q, continues at %q", c.script, got, meta.Continue)
			}
			if c.err == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %s", c.script, err, c.err)
			}
			if asked.Verb != wire.List || asked.Resource != "pods" || asked.Namespace != "a" {
				t.Errorf("%s: asked %+v", c.script, asked)
			}
			if s.closed != 1 || s.credit != c.credit || time.Since(began) != c.took {
				t.Errorf("%s: closed %d times, credit %d, after %v", c.script, s.closed, s.credit, time.Since(began))
			}
		})
	}
}

// TestReadListUnopened checks that an error of Open is returned as it is, and that a list
// ends with its context.
func TestReadListUnopened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := &wire.Status{Origin: wire.FromAPIServer, Code: 403, Message: "no"}
		server := reflector.SourceFunc(func(context.Context, wire.Request) (reflector.Stream, error) { return nil, refused })
		if _, err := ReadList(t.Context(), server, wire.Request{}, func([]byte) {}); wire.StatusOf(err) != refused {
			t.Error(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		server = func(context.Context, wire.Request) (reflector.Stream, error) { return new(stream), nil }
		if _, err := ReadList(ctx, server, wire.Request{}, func([]byte) {}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// TestReadEvents checks that events are read until the callback returns false.
func TestReadEvents(t *testing.T) {
	s := &stream{script: strings.Fields("+a +b +c"), after: io.EOF}
	server := reflector.SourceFunc(func(context.Context, wire.Request) (reflector.Stream, error) { return s, nil })
	n := 0
	err := ReadEvents(t.Context(), server, wire.Request{}, func(wire.Event) bool { n++; return n < 2 })
	if err != nil || n != 2 || s.next != 2 || s.closed != 1 {
		t.Error(err, n, s)
	}
}
