package query

import "testing"

// logged is a row of an open schema: a line of a log with its fields.
type logged struct {
	pod
	level string
}

func (l *logged) Cell(int) string   { return l.level }
func (l *logged) Code(int) uint16   { return uint16(len(l.level)) }
func (l *logged) Namespace() string { return "" }

// TestOpen filters lines by fields that no schema names.
func TestOpen(t *testing.T) {
	schema := Schema{Columns: []Column{{Name: "level", Kind: LevelColumn}}, Open: true}
	l := &logged{level: "warn", pod: pod{text: `slow query: user:bob "a/b" name=x`, labels: set{"status": "503", "user": "ana", "name": "x", "took": "512ms", "owner": "me", "ns": "a"}}}
	for filter, want := range map[string]bool{
		"level>=warn": true, "level>warn": false, "level<error": true, "level:warning": true, "level:error,warn": true, "level!=warn": false, "!level:info": true, "LEVEL:Warn": true,
		"status>=500": true, "status>=504": false, "status:503": true, "status:50*": true, "Status!=200": true, "status": false, "status:": true, "nothing:": false, "nothing>1": false,
		"user:ana": true, "user:bob": true, "user:eve": false, "query:": true, "took>0.5s": true, "took>500ms": true, "took<1m": true, "took>=1s": false,
		"owner:me": true, "name:x": true, "ns:a": true, "image:<none>": true, "owner:<none>": false, "slow QUERY": true, `"slow query"`: true, "/^slow/ /x$/": true, "/^query/": false, "!slow or user:ana": true, "/y.*a.b/": true,
	} {
		f, err := Parse(filter)
		if err != nil {
			t.Errorf("%s: %v", filter, err)
			continue
		}
		m, err := Bind(f, schema)
		if err != nil {
			t.Errorf("%s: %v", filter, err)
			continue
		}
		if got := m.Match(l, now); got != want {
			t.Errorf("%s matches: %t", filter, got)
		}
	}
	for _, filter := range []string{"level>5", "status>warn"} {
		if f, err := Parse(filter); err == nil {
			if _, err = Bind(f, schema); err == nil {
				t.Errorf("%s is a filter", filter)
			}
		}
	}
	f, _ := Parse("level>=warn user:eve")
	m, _ := Bind(f, schema)
	if matches, but := m.MatchBut(l, now); matches || but != "user" {
		t.Errorf("%t, %q", matches, but)
	}
	f, _ = Parse("level>warn slow")
	m, _ = Bind(f, schema)
	if matches, but := m.MatchBut(l, now); matches || but != "level" {
		t.Errorf("%t, %q", matches, but)
	}
}

// TestMarks finds in a line what a filter was about.
func TestMarks(t *testing.T) {
	f, err := Parse("Slow (/q.e/ or !b) !c user:ana")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, l := range f.Marks() {
		n += len(l.Find("slow query, b and c of ana", 9))
	}
	if n != 2 {
		t.Errorf("%d marks, want 2", n)
	}
}

// TestCompleteOpen completes the fields of lines with their counts.
func TestCompleteOpen(t *testing.T) {
	schema := Schema{Columns: []Column{{Name: "level", Kind: LevelColumn}}, Open: true}
	got := Complete("slow us", 7, schema, func(field, prefix string) []Counted {
		if field == "" && prefix == "us" {
			return []Counted{{"user", 3}, {"usage", 7}}
		}
		return nil
	})
	if len(got) != 2 || got[0] != (Suggestion{Text: "usage:", From: 5, To: 7, Count: 7}) || got[1].Text != "user:" {
		t.Errorf("%+v", got)
	}
}
