//go:build !js

package relay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v2"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// objectYAML reads one object, and gives it as kubectl prints it.
func (u *unframer) objectYAML() error {
	doc, table, err := u.document()
	switch {
	case err != nil:
		return err
	case table.is():
		return fmt.Errorf("%w: a Table for an object", object.ErrMalformed)
	}
	if u.out, err = u.json(u.out[:0], doc); err != nil {
		return err
	}
	text, err := yamlOf(u.out)
	if err != nil {
		return err
	}
	return u.emit(wire.Item, text)
}

// yamlOf writes an object in JSON as YAML. kubectl writes it as JSON again and reads
// that as YAML first, which no control character survives; the way is shorter here.
func yamlOf(doc []byte) ([]byte, error) {
	var obj map[string]any
	if err := utiljson.Unmarshal(doc, &obj); err != nil {
		return nil, fmt.Errorf("%w: %v", object.ErrMalformed, err)
	}
	var out limited
	e := yaml.NewEncoder(&out)
	err := e.Encode(yamlValue(obj))
	if err == nil {
		err = e.Close()
	}
	if out.full { // the encoder has only the error's text
		err = fmt.Errorf("%w, as YAML", errTooLarge)
	}
	return out.Bytes(), err
}

// yamlValue puts in place of each number with a point or an exponent what it is to
// kubectl: a whole number, if that is how JSON writes it.
func yamlValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			v[key] = yamlValue(value)
		}
	case []any:
		for i, value := range v {
			v[i] = yamlValue(value)
		}
	case float64:
		text, _ := json.Marshal(v) // as every number that was in JSON
		if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
			return n
		}
		if n, err := strconv.ParseUint(string(text), 10, 64); err == nil {
			return n
		}
	}
	return v
}

// limited holds what fits a frame: of a deep object the indentation alone could be a
// thousand times its size.
type limited struct {
	bytes.Buffer
	full bool
}

// Write refuses what does not fit.
func (l *limited) Write(b []byte) (int, error) {
	if l.full = l.full || l.Len()+len(b) > maxObject; l.full {
		return 0, errors.New("full")
	}
	return l.Buffer.Write(b)
}
