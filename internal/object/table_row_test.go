package object

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestRow checks that the row that is made of an object is decoded as the same object again, also much
// later: ages that are known only as such are those of the first time.
func TestRow(t *testing.T) { synctest.Test(t, testRow) }

func testRow(t *testing.T) {
	const columns = `[{"name":"Name","type":"string","format":"name"},{"name":"Ready","type":"string"},
{"name":"Count","type":"integer"},{"name":"Checked","type":"date","description":"Custom resource definition column (in JSONPath format): .metadata.annotations.checked"},
{"name":"Renewed","type":"date"},{"name":"Bare","type":"date"},{"name":"Age","type":"date","description":"Custom resource definition column (in JSONPath format): .metadata.creationTimestamp"}]`
	kind := Kind{Group: "example.com", Version: "v1", Resource: "things", Name: "Thing", Namespaced: true}
	decoder := NewDecoder(kind, true)
	if _, err := decoder.SetColumns([]byte(columns)); err != nil {
		t.Fatal(err)
	}
	meta := `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","namespace":"shop","uid":"u","resourceVersion":"7","creationTimestamp":"2026-11-20T08:00:00Z","labels":{"a":"b","c":"d"},"annotations":{"checked":"2026-11-21T09:00:00Z"}}}`
	for _, cells := range []string{
		`["a","True \"x\" é",3,"5m","17d","3d","4d"]`,
		`["a","",0,"","","","4d"]`,
		`["a","True",1,"5m","2026-11-20T08:00:00Z","<unknown>","4d"]`,
		`["a","True",1,"5m",null,"soon","4d"]`,
	} {
		o, err := decoder.Decode([]byte(`{"cells":` + cells + `,"object":` + meta + `}`))
		if err != nil {
			t.Fatal(err)
		}
		row := decoder.Row(nil, o)
		time.Sleep(time.Hour)
		again, err := decoder.Decode(row)
		if err != nil {
			t.Fatalf("%s: %v", row, err)
		}
		if again.blob != o.blob || again.Labels() != o.Labels() || string(again.Packed()) != string(o.Packed()) {
			t.Errorf("%s\n%q, want\n%q", row, again.blob, o.blob)
		}
	}
	stub := NewDecoder(kind, false)
	if _, err := stub.SetColumns([]byte(columns)); err != nil {
		t.Fatal(err)
	}
	bare, err := stub.Decode([]byte(`{"cells":["a","True",3,"","","","4d"],"object":` + meta + `}`))
	if err != nil {
		t.Fatal(err)
	}
	again, err := stub.Decode(stub.Row(nil, bare))
	if err != nil || again.blob != bare.blob || again.Labels() != bare.Labels() {
		t.Errorf("%v: %q, want %q", err, again.blob, bare.blob)
	}
}
