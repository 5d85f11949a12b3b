//go:build !js

package relay

import (
	"errors"
	"fmt"

	"watchglass/internal/object"
	"watchglass/internal/relay/yaml"
	"watchglass/internal/wire"
)

// objectYAML reads one object and emits it as kubectl prints it. A small object may become a
// large text through indentation alone. If its first writing exceeds keepBytes, it is written
// again with room reserved.
func (u *unframer) objectYAML() error {
	defer u.passed()
	doc, err := u.document()
	if err != nil {
		return err
	}
	text, err := u.yaml(doc, keepBytes)
	if errors.Is(err, errTooLarge) {
		if err := u.hold.reserve(maxObject, maxObject); err != nil {
			return err
		}
		if turned := u.hold.run(func() { text, err = u.yaml(doc, maxObject) }); turned != nil {
			return turned
		}
	}
	if err != nil {
		return err
	}
	u.frame, u.out = nil, nil
	return u.pass(wire.Item, text)
}

// yaml writes an object in JSON as YAML of at most so many bytes, without what is withheld.
func (u *unframer) yaml(doc []byte, most int) (text []byte, err error) {
	if len(doc) > most {
		return nil, errTooLarge
	}
	if u.out, err = u.json(u.out[:0], doc); err != nil {
		return nil, err
	}
	return yamlOf(u.out, most)
}

// yamlOf writes an object in JSON as YAML.
func yamlOf(doc []byte, most int) (text []byte, err error) {
	parsed, err := yaml.Parse(doc)
	if err == nil {
		text, err = parsed.Append(make([]byte, 0, min(most, len(doc)+len(doc)/4)), most)
	}
	switch {
	case errors.Is(err, yaml.ErrTooLarge):
		err = fmt.Errorf("%w, as YAML: %w", errTooLarge, err)
	case err != nil:
		err = fmt.Errorf("%w: %w", object.ErrMalformed, err)
	}
	return text, err
}
