package detail

import (
	"fmt"
	"strings"
	"testing"

	"watchglass/internal/document"
)

// leaves counts what a tree shows of its scalars, and what it says it does not show.
func leaves(s Section) (shown, more int) {
	for _, r := range s.Rows {
		for _, l := range r.Lines {
			if len(l) > 0 {
				shown++
			}
		}
		more += r.More
	}
	return shown, more + s.More
}

// TestDeepTree shows that every scalar of a tree is shown or counted, however deep it is:
// EnvoyFilters and Compositions have some fifteen levels.
func TestDeepTree(t *testing.T) {
	for depth := 1; depth < 3*mostDeep; depth++ {
		doc := `"end"`
		for i := range depth {
			if i%3 == 2 {
				doc = `[` + doc + `,{"b":1,"c":null,"d":[]}]`
			} else {
				doc = `{"a":` + doc + `,"b":` + fmt.Sprint(i) + `}`
			}
		}
		v := mustParse(t, `{"kind":"Widget","apiVersion":"example.com/v1","spec":{"x":`+doc+`}}`)
		s := Summarize(v, More{})
		spec := s.Sections[len(s.Sections)-1]
		shown, more := leaves(spec)
		if all := scalarsIn(v.At("spec")); shown+more != all || (more > 0) != (depth > mostDeep) {
			t.Errorf("%d levels: %d shown and %d more of %d", depth, shown, more, all)
		}
		if depth > 16 && depth <= mostDeep && more > 0 {
			t.Errorf("%d levels are too many", depth)
		}
	}
}

// TestLongLists shows that what is left away of a long list is counted: lines, cards, and
// the resources of a rule.
func TestLongLists(t *testing.T) {
	many := func(n int, each string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(each+",", n), ",") + "]"
	}
	args := Summarize(mustParse(t, `{"kind":"Pod","apiVersion":"v1","spec":{"containers":[{"name":"c","args":`+many(mostLines+50, `"12345"`)+`}]}}`), More{})
	row := args.Sections[len(args.Sections)-1].Sections[0].Rows[0]
	if last := row.Lines[mostLines-1]; row.Name != "Args" || len(row.Lines) != mostLines || row.More != 0 || last[0].Cut != 51*len("12345")+50 {
		t.Errorf("%s: %d lines, %d more; the last %+v", row.Name, len(row.Lines), row.More, last)
	}
	full := Summarize(mustParse(t, `{"kind":"Pod","apiVersion":"v1","spec":{"containers":[{"name":"c","args":`+many(mostLines, `"12345"`)+`}]}}`), More{})
	if row := full.Sections[len(full.Sections)-1].Sections[0].Rows[0]; len(row.Lines) != mostLines || row.Lines[mostLines-1][0].Text != "12345" {
		t.Errorf("%d lines", len(row.Lines))
	}
	for name, doc := range map[string]string{
		"Containers": `{"kind":"Pod","apiVersion":"v1","spec":{"containers":` + many(mostSections+9, `{"name":"c","image":"i"}`) + `}}`,
		"Endpoints":  `{"kind":"Endpoints","apiVersion":"v1","subsets":` + many(mostSections+9, `{"addresses":[{"ip":"10.0.0.1"}]}`) + `}`,
	} {
		s := Summarize(mustParse(t, doc), More{})
		for _, part := range s.Sections {
			if part.Title == name && (len(part.Sections) != mostSections || part.More != 9) {
				t.Errorf("%s: %d cards, %d more", name, len(part.Sections), part.More)
			}
		}
	}
	rule := `{"apiGroups":["a","b"],"verbs":["get"],"resources":` + many(mostRules+50, `"pods"`) + `}`
	s := Summarize(mustParse(t, `{"kind":"Role","apiVersion":"rbac.authorization.k8s.io/v1","rules":[`+rule+`]}`), More{})
	if text := strings.Join(spoken(s), "\n"); !strings.Contains(text, " + 200 more") {
		t.Error(text)
	}
}

// TestManyContainers checks that a container or a volume that is only counted takes next to no work: a pod may
// have thousands.
func TestManyContainers(t *testing.T) {
	pod := func(n int) document.Value {
		var containers, statuses, volumes []string
		for i := range n {
			containers = append(containers, fmt.Sprintf(`{"name":"c%d","image":"web:%d"}`, i, i))
			statuses = append(statuses, fmt.Sprintf(`{"name":"c%d","restartCount":%d,"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":1,"reason":"Error"}}}`, i, i))
			volumes = append(volumes, fmt.Sprintf(`{"name":"v%d","secret":{"secretName":"s%d","optional":true}}`, i, i))
		}
		list := func(all []string) string { return "[" + strings.Join(all, ",") + "]" }
		return mustParse(t, `{"kind":"Pod","apiVersion":"v1","spec":{"containers":`+list(containers)+`,"volumes":`+list(volumes)+`},"status":{"containerStatuses":`+list(statuses)+`}}`)
	}
	some, many := pod(1000), pod(2000)
	work := func(v document.Value) float64 { return testing.AllocsPerRun(2, func() { Summarize(v, More{}) }) }
	if more := (work(many) - work(some)) / 1000; more > 12 {
		t.Errorf("%.1f allocations for each further container and volume", more)
	}
	for _, s := range Summarize(many, More{}).Sections {
		if s.Title == "Containers" && s.More != 2000-mostSections || s.Title == "Volumes" && s.More != 2000-mostRows {
			t.Errorf("%s: %d more", s.Title, s.More)
		}
	}
}
