package detail

import (
	"testing"

	"watchglass/internal/document"
)

// TestSelectorText shows selectors in kubectl's words, in the order of their keys.
func TestSelectorText(t *testing.T) {
	for _, c := range []struct {
		write     func(document.Value) string
		doc, want string
	}{
		{LabelsText, `{"b":"2","a":"1"}`, "a=1,b=2"},
		{LabelsText, `{}`, ""},
		{LabelsText, `null`, ""},
		{SelectorText, `{"matchLabels":{"b":"2","a":"1"}}`, "a=1,b=2"},
		{SelectorText, `{"matchLabels":{"t":"1"},"matchExpressions":[{"key":"w","operator":"DoesNotExist"},{"key":"v","operator":"Exists"},{"key":"u","operator":"NotIn","values":["z"]},{"key":"t","operator":"In","values":["y","x"]}]}`, "t=1,t in (x,y),u notin (z),v,!w"},
		{SelectorText, `{}`, ""},
		{SelectorText, `null`, ""},
	} {
		v, err := document.Parse([]byte(c.doc))
		if err != nil {
			t.Fatal(err)
		}
		if got := c.write(v); got != c.want {
			t.Errorf("%s: %q, want %q", c.doc, got, c.want)
		}
	}
}
