package recording

import (
	"time"

	"watchglass/internal/history"
)

// eachVersion calls f with the versions of the objects of a stream, but for those whose part is known to be that of the
// object's version before. With each it passes another payload whose part f has had: of an earlier version, or of a
// similar object; nil if there is none. Both payloads are valid during the call.
func (w *walk) eachVersion(i int, part func(payload []byte) []byte, f func(key string, had, payload []byte)) error {
	since, known := w.since(i)
	if !known {
		return nil
	}
	v := &versions{walk: w, part: part, f: f}
	if t, ok := w.record.(*Recording); ok {
		return v.read(&t.streams[w.numbers[i]], since)
	}
	return v.listen(i)
}

// versions is a walk over the versions of objects.
type versions struct {
	*walk
	part func(payload []byte) []byte
	f    func(key string, had, payload []byte)
	had  []byte // the payload that f had last

	steps int
}

func (v *versions) pass(key string, had, payload []byte) {
	v.f(key, had, payload)
	v.had = append(v.had[:0], payload...)
}

// listen walks over any record, whose changes come in order of time.
func (v *versions) listen(i int) error {
	parts := make(map[string]uint64) // by key: the sum of the part that f had last
	objects := func(o history.Object) {
		parts[o.Key] = sum(v.part(o.Payload))
		v.pass(o.Key, v.had, o.Payload)
	}
	since, _ := v.since(i)
	if err := v.eachObject(i, objects); err != nil {
		return err
	}
	err := v.eachBetween(i, v.from, v.to, func(_ int, c history.Change) {
		if c.After == nil {
			return
		}
		last, known := parts[c.Key]
		if now := sum(v.part(c.After)); !known || now != last {
			if c.Before != nil && (!known || sum(v.part(c.Before)) != last) {
				c.Before = nil // f has not had it
			}
			parts[c.Key] = now
			v.f(c.Key, c.Before, c.After)
		}
	})
	// Objects of changes that were dropped before they were read are written too, by catchUp.
	if now, _ := v.since(i); err == nil && now.After(since) {
		err = v.eachObject(i, objects)
	}
	return err
}

// read walks over a file, object by object. A delta that does not touch the part is not even applied.
func (v *versions) read(s *stream, since time.Time) error {
	var d payloadBuffer
	for object := range s.objects {
		if !v.choices.keepsObject(s.Stream, s.objects[object].key) {
			continue
		}
		if err := v.object(&d, s, uint32(object), s.until(uint32(object), since)); err != nil {
			return err
		}
	}
	return v.pause()
}

// object walks over the versions of an object, from a number of its changes on.
func (v *versions) object(d *payloadBuffer, s *stream, object uint32, begin int) error {
	o, until := &s.objects[object], v.to.UnixMicro()
	uid, payload := d.at(s, object, begin)
	at := begin // the number of changes that have led to the payload
	from, to := v.found(o.key, payload)
	for n := max(begin, 0); n < len(o.changes); n++ {
		if err := v.step(); err != nil {
			return err
		}
		c := &s.changes[o.changes[n]]
		if c.at > until {
			break
		}
		if c.kind == deltaChange {
			if nowFrom, nowTo, kept := history.Kept(c.data, from, to); kept {
				from, to = nowFrom, nowTo
				continue
			}
		}
		uid, payload = d.advance(s, object, at, uid, payload, n+1)
		at = n + 1
		from, to = v.found(o.key, payload)
	}
	return v.step()
}

// found passes a payload, and returns where its part is in it. Without a payload there is nothing to pass.
func (v *versions) found(key string, payload []byte) (from, to int) {
	if payload == nil {
		return 0, 0
	}
	v.pass(key, v.had, payload)
	return place(payload, v.part(payload))
}

// step pauses after each portion of steps: an object may have very many changes.
func (v *versions) step() error {
	if v.steps++; v.steps%portion == 0 {
		return v.pause()
	}
	return nil
}

// place returns where a part of a text is in it: everywhere, if that is not known.
func place(text, part []byte) (from, to int) {
	if from = cap(text) - cap(part); len(part) == 0 || from < 0 || from+len(part) > len(text) || &text[from] != &part[0] {
		return 0, len(text)
	}
	return from, from + len(part)
}
