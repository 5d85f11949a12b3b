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

// TestQuotedNames filters by fields whose names cannot be typed without quotes.
func TestQuotedNames(t *testing.T) {
	schema := Schema{Open: true}
	l := &logged{pod: pod{labels: set{"@version": "1", "user name": "ana", "7": "x"}}}
	for filter, want := range map[string]bool{
		`"@version":1`: true, `"@Version":1`: true, `"@version"!=1`: false, `"@version">=1`: true, `"@version">1`: false, `"user name":ana`: true, `"user name":"ana"`: true, `!"user name":ana`: false,
		`"7":x`: true, `"user name": x`: false, `"status":`: false,
	} {
		f, err := Parse(filter)
		if err != nil {
			t.Errorf("%s: %v", filter, err)
			continue
		}
		again, err := Parse(f.String())
		if err != nil || again.String() != f.String() {
			t.Errorf("%s is written as %s, which is %s, %v", filter, f, again, err)
		}
		m, err := Bind(again, schema)
		if err != nil {
			t.Errorf("%s: %v", filter, err)
			continue
		}
		if got := m.Match(l, now); got != want {
			t.Errorf("%s matches: %t", filter, got)
		}
	}
	for _, filter := range []string{`"a"b`, `"a"!b`, `"":x`, `"label.a":x`, `"{.a}":x`} {
		if f, err := Parse(filter); err == nil {
			t.Errorf("%s is the filter %s", filter, f)
		}
	}
	for filter, want := range map[string]string{
		"": "", "status": "", "status:": "status", "a status!=5": "status", "!(x or Status:5": "status", "took>=": "took", `"@version":1`: "@version", `"user name":a`: "user name", `"a b" `: "", "/a=b": "", "status:5 ": "",
	} {
		if got := FieldAtEnd(filter); got != want {
			t.Errorf("%q ends in %q, want %q", filter, got, want)
		}
	}
	values := func(field, _ string) []ValueCount {
		return map[string][]ValueCount{"": {{"@version", 3}}, "@version": {{"1", 2}}}[field]
	}
	for typed, want := range map[string]string{"@v": `"@version":`, `"@version":`: "1", `x "@version"!=`: "1"} {
		if all := Complete(typed, len(typed), schema, values); len(all) != 1 || all[0].Text != want {
			t.Errorf("%s is completed with %+v", typed, all)
		}
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
	got := Complete("slow us", 7, schema, func(field, prefix string) []ValueCount {
		if field == "" && prefix == "us" {
			return []ValueCount{{"user", 3}, {"usage", 7}}
		}
		return nil
	})
	if len(got) != 2 || got[0] != (Suggestion{Text: "usage:", From: 5, To: 7, Count: 7}) || got[1].Text != "user:" {
		t.Errorf("%+v", got)
	}
}
