package pane

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/hub/loop"
	"watchglass/internal/object"
	"watchglass/internal/object/encoded"
	"watchglass/internal/wire"
)

const (
	// An object's YAML is read again once the object has not changed for yamlStill, but no
	// later than yamlLatest after its first change.
	yamlStill  = 500 * time.Millisecond
	yamlLatest = 2 * time.Second
	// yamlAgain is the wait before a failed read is repeated.
	yamlAgain = 5 * time.Second
)

// yamlPane shows an object as the server has it, which the page writes as YAML. It reads it with a
// GET, since the list may lack managedFields and fields that are not in our schema, and reads it
// again when the object has changed.
type yamlPane struct {
	host    Host
	subject Subject
	managed bool // with managedFields

	object  *object.Object
	shown   string    // version of the document; empty if it does not say
	first   time.Time // when the object changed first since the document was read
	due     time.Time // when to read the document; zero: not
	atOnce  bool      // the document is to be read without waiting
	reading loop.Latest
	opened  bool // the first options have come
	asked   bool // the document has been read, or is being read

	head    detail.YAMLHead
	doc     []byte // the object in JSON
	changed bool
	docs    loop.Sender
}

// NewYAML opens an object for its YAML.
func NewYAML(h Host, s Subject) Pane { return &yamlPane{host: h, subject: s} }

var _ Open = NewYAML

// Object applies another version; metrics have none, so each poll that changes them counts as one. The document
// of a deleted object stays, and is not read again.
func (p *yamlPane) Object(v Version) {
	if p.head.Gone != v.Gone {
		p.head.Gone, p.changed = v.Gone, true
	}
	if before := p.object; before != v.Object {
		p.object = v.Object
		if before == nil || before.Version() != v.Object.Version() || v.Object.Version() == "" {
			p.plan(time.Now())
		}
	}
	if v.Gone && p.asked {
		p.due, p.atOnce = time.Time{}, false
	}
}

// plan schedules a read for when the object has not changed for a while, unless the document is
// of its version. A read under way may return an older version: its answer will show it.
func (p *yamlPane) plan(now time.Time) {
	switch {
	case p.atOnce:
		return // the read will be of this version
	case p.upToDate():
		p.due = time.Time{}
		return
	case p.due.IsZero():
		p.first = now
	}
	p.due = p.first.Add(yamlLatest)
	if still := now.Add(yamlStill); still.Before(p.due) {
		p.due = still
	}
}

// upToDate reports whether the document is of the object's version.
func (p *yamlPane) upToDate() bool {
	return p.head.Said == nil && p.shown != "" && p.object != nil && p.shown == p.object.Version()
}

// Options lets the document be read at once, the first time and when the options change.
func (p *yamlPane) Options(raw json.RawMessage) {
	var o detail.YAMLOptions
	if len(raw) > 0 && json.Unmarshal(raw, &o) != nil {
		return // cannot happen: our own page wrote it
	}
	if !p.opened || o.Managed != p.managed {
		p.opened, p.managed, p.atOnce = true, o.Managed, true
		p.reading.End()
	}
}

// Update reads the document when that is due, and returns what has come.
func (p *yamlPane) Update(now time.Time) []byte {
	switch wait := p.due.Sub(now); {
	case p.reading.Pending():
	case p.atOnce, !p.due.IsZero() && wait <= 0:
		p.read()
	case !p.due.IsZero():
		p.host.WakeAt(p.due)
	}
	if !p.changed {
		return nil
	}
	p.changed = false
	head, err := json.Marshal(p.head)
	if err != nil {
		return nil // cannot happen: it is our own struct
	}
	return p.docs.Next(append(append(head, '\n'), p.doc...))
}

// Close does nothing: a read ends with the pane.
func (p *yamlPane) Close() {}

// read reads the document.
func (p *yamlPane) read() {
	p.due, p.atOnce, p.asked = time.Time{}, false, true
	managed, kind := p.managed, &p.subject.Kind
	r := wire.Request{
		Verb: wire.Get, Group: kind.Group, Version: kind.Version, Resource: kind.Resource,
		Namespace: p.subject.Namespace, Name: p.subject.Name,
		Encoding: wire.EncodingJSON, ManagedFields: managed,
	}
	p.reading.Replace(p.host.Go(func(ctx context.Context) func() {
		doc, err := p.host.Get(ctx, r)
		return func() { p.onDocument(doc, err, managed) }
	}))
}

// onDocument handles the answer to a read. After an error the previous document stays.
func (p *yamlPane) onDocument(doc []byte, err error, managed bool) {
	defer p.host.RequestUpdate()
	p.reading.End()
	p.changed = true
	status := wire.StatusOf(err)
	switch {
	case err == nil:
		p.doc, p.head = doc, detail.YAMLHead{At: time.Now().UnixMilli(), Managed: managed, Gone: p.head.Gone}
		if p.shown = versionIn(doc); p.upToDate() {
			p.due = time.Time{}
		}
		return
	case status == nil:
		status = &wire.Status{Origin: wire.FromTab, Reason: wire.ReasonUnreachable, Message: err.Error()}
	}
	p.head.Said = status
	if !status.NotFound() { // a later read may succeed
		p.first = time.Now()
		p.due = p.first.Add(yamlAgain)
	}
}

// versionIn returns the resourceVersion of an object in JSON; empty if there is none.
func versionIn(doc []byte) (version string) {
	encoded.Members(doc, func(key string, value []byte) error { // a document that is no object has none
		if key != "metadata" {
			return nil
		}
		return encoded.Members(value, func(key string, value []byte) error {
			if key == "resourceVersion" {
				version = string(bytes.Trim(value, `"`))
			}
			return nil
		})
	})
	return version
}
