package encoded

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// rebuild decodes a document with Members and Elements only.
func rebuild(doc []byte) (any, error) {
	switch doc[0] {
	case '{':
		out := map[string]any{}
		err := Members(doc, func(key string, value []byte) error {
			v, err := rebuild(value)
			out[key] = v
			return err
		})
		return out, err
	case '[':
		out := []any{}
		err := Elements(doc, func(value []byte) error {
			v, err := rebuild(value)
			out = append(out, v)
			return err
		})
		return out, err
	case '"':
		return Unquote(doc), nil
	}
	return parsed(doc)
}

// parsed decodes a document with encoding/json and keeps numbers as text, since not every
// number is a float64.
func parsed(doc []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	return v, d.Decode(&v)
}

func TestScanJSON(t *testing.T) {
	for _, doc := range []string{
		`{}`, `[]`, `{"a":1}`, `{ "a" : [ 1 , 2 ] , "b" : { } }`, "{\n\t\"a\": null\n}",
		`{"a":"x\"y","b":"\\","c":"\u00e9\ud83d\ude00\n","\u0061b":true}`,
		`{"a":"{[,:]}","b":[{"c":["}"]}]}`, `[-1.5e3,true,false,null,"s"]`,
	} {
		want, err := parsed([]byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		got, err := rebuild([]byte(doc))
		if err != nil {
			t.Errorf("%s: %v", doc, err)
			continue
		}
		w, _ := json.Marshal(want)
		g, _ := json.Marshal(got)
		if string(w) != string(g) {
			t.Errorf("%s: want %s, got %s", doc, w, g)
		}
	}
}

func TestScanJSONMalformed(t *testing.T) {
	for _, doc := range []string{
		``, `x`, `{`, `{"a"`, `{"a":`, `{"a":}`, `{"a":,}`, `{"a":1,`, `{"a":1 "b":2}`, `{a:1}`, `{"a":"x}`, `{"a":[}`, `{"a":1]`, `{"a"=1}`, `{"a":::}`,
	} {
		if err := Members([]byte(doc), func(string, []byte) error { return nil }); !errors.Is(err, ErrMalformed) {
			t.Errorf("%q: %v", doc, err)
		}
	}
	for _, doc := range []string{``, `[`, `[1`, `[1,`, `[,1]`, `[1 2]`, `{}`} {
		if err := Elements([]byte(doc), func([]byte) error { return nil }); !errors.Is(err, ErrMalformed) {
			t.Errorf("%q: %v", doc, err)
		}
	}
	deep := strings.Repeat("[", 1e6) + strings.Repeat("]", 1e6)
	if end, err := SkipValue([]byte(deep), 0); err != nil || end != len(deep) {
		t.Errorf("a deep document: %d %v", end, err)
	}
}

// FuzzScanJSON compares the scanner with encoding/json on valid JSON, and checks that it does
// not panic on anything else.
func FuzzScanJSON(f *testing.F) {
	f.Add([]byte(`{"a":[1,"\u00e9",{"b":null}]}`))
	f.Add([]byte(`{"a":"\ud800"}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		if len(doc) == 0 {
			return
		}
		got, err := rebuild(doc)
		if !json.Valid(doc) || !utf8.Valid(doc) || doc[0] != '{' && doc[0] != '[' {
			return
		}
		if err != nil {
			t.Fatalf("%q: %v", doc, err)
		}
		want, err := parsed(doc)
		if err != nil {
			t.Fatal(err)
		}
		w, _ := json.Marshal(want)
		g, _ := json.Marshal(got)
		if string(w) != string(g) {
			t.Fatalf("%q: want %s, got %s", doc, w, g)
		}
	})
}
