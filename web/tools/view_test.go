package tools

import (
	"fmt"
	"strings"
	"testing"
)

// TestViewFile checks that the format round-trips, and that nothing else is accepted.
func TestViewFile(t *testing.T) {
	views := []View{{"a “b”", "/pods?q=a+b"}, {"ü", "/deployments.apps?n=x,y&l=app=web&sort=-Age&cols=wide"}}
	if got, err := ReadViews(WriteViews(views)); err != nil || fmt.Sprint(got) != fmt.Sprint(views) {
		t.Errorf("%v, %v", got, err)
	}
	file := func(views string) string { return `{"watchglass": "views", "version": 1, "views": [` + views + `]}` }
	for text, want := range map[string]string{
		"":                                      "not a views file",
		"[]":                                    "not a views file",
		"{}":                                    "not a views file",
		`{"kind": "List", "items": []}`:         "unknown field",
		file("") + "x":                          "unexpected data after the views",
		`{"watchglass": "views", "version": 2}`: "version 2",
		file(`{"name": "a", "address": "/pods", "evil": 1}`):                          "unknown field",
		file(`{"name": "", "address": "/pods"}`):                                      "needs a name",
		file(`{"name": "a ", "address": "/pods"}`):                                    "not a valid view name",
		file(`{"name": "a", "address": "/pods"}, {"name": "a", "address": "/nodes"}`): "twice",
		file(`{"name": "a", "address": "//evil.example.com/pods"}`):                   "has an invalid address",
		file(`{"name": "a", "address": "https://evil.example.com/pods"}`):             "has an invalid address",
		file(`{"name": "a", "address": "javascript:alert(1)"}`):                       "has an invalid address",
		file(`{"name": "a", "address": "/pods?sel=a/b"}`):                             "has an invalid address",
		file(`{"name": "a", "address": "/pods?c=prod"}`):                              "has an invalid address",
		file(`{"name": "a", "address": "/pods#token=x"}`):                             "has an invalid address",
		file(`{"name": "a", "address": ""}`):                                          "has an invalid address",
		file(strings.Repeat(`{"name": "a", "address": "/pods"},`, MostViews) + `{}`):  "more than",
	} {
		if got, err := ReadViews(text); err == nil || !strings.Contains(err.Error(), want) || got != nil {
			t.Errorf("%.80s: %v, %v", text, got, err)
		}
	}
}

// FuzzViews checks that what is read round-trips, and that every address in it stays within the
// page.
func FuzzViews(f *testing.F) {
	f.Add(WriteViews([]View{{"a", "/pods"}, {"b", "/nodes?q=%3C&sort=-Age"}}))
	f.Add(`{"watchglass": "views", "version": 1, "views": [{"name": "a", "address": "//x"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		views, err := ReadViews(text)
		if err != nil {
			return
		}
		if again, err := ReadViews(WriteViews(views)); err != nil || fmt.Sprint(again) != fmt.Sprint(views) {
			t.Errorf("%v are written and read as %v, %v", views, again, err)
		}
		for _, k := range views {
			if k.Parse("").View().String("") != k.Address || !strings.HasPrefix(k.Address, "/") || strings.HasPrefix(k.Address, "//") {
				t.Errorf("%q leaves the page", k.Address)
			}
		}
	})
}
