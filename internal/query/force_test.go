package query

import (
	"slices"
	"strings"
	"testing"
)

// bindable is what a filter of pods may ask.
func bindable(f Filter) error {
	_, err := Bind(f, podSchema)
	return err
}

// TestInForce (17) holds what applies while a filter is typed, from state to state: what
// stands there wholly understood, and else what was there; but not the half of a field
// as a word.
func TestInForce(t *testing.T) {
	for _, c := range []struct{ typed, want string }{
		{"status|status:|status:R", "status|status:|status:R"},
		{"statu|statu:|statu:R", "statu||"},
		{"colour|colour:|colour:r|colour:red", "colour|||"},
		{"web colour|web colour:|web colour:red", "web colour|web|web"},
		{"web !colour|web !colour:red", "web !colour|web"},
		{"restarts|restarts>|restarts>=|restarts>=5|restarts>=|restarts>", "restarts|||restarts>=5|restarts>=5|restarts>=5"},
		{"status|status=|status=R", "status||status=R"},
		{"status:Running|status:Running,|status:Running,P", "status:Running|status:Running|status:Running,P"},
		{"web|web -|web -l|web -l app|web -l app=|web -l app=x", "web|web -|web|web -l app|web -l app=|web -l app=x"},
		{"-l app=web|-l app=web,|-l app=web,t", "-l app=web|-l app=web|-l app=web,t"},
		{"-l app|-l app in|-l app in (|-l app in (a", "-l app|-l app|-l app|-l app"},
		{`a|a "|a "b c|a "b c"`, `a|a|a|a "b c"`},
		{"a|a /|a /b|a /b/", "a|a|a|a /b/"},
		{"a|a (|a (b or|a (b or colour:|a (b or c)", "a|a|a|a|a (b or c)"},
		{"a|a or|a or stat|a or stat:", "a|a|a or stat|a"},
		{"a !|a !colour:x b", "a|a"},
		{"label|label.|label.app|label.app:|label.app:x", "label|||label.app:|label.app:x"},
		{"age|age>|age>3|age>3d|age>3", "age|||age>3d|age>3d"},
		{"{.spec|{.spec.x}|{.spec.x}:|{.spec.x}:y", "{.spec|{.spec.x}||"},
		// In the middle: what was there stays.
		{"status:Running web|status:Runnin web|statu:Running web", "status:Running web|status:Runnin web|status:Runnin web"},
		{"status:Running|status:Running colour:red x", "status:Running|status:Running"},
		// At once, as an address has it: there was nothing, and what is right applies.
		{"status:Running colour:red x", "status:Running x"},
		{"colour:red or web", "web"},
		{"(a b", ""},
	} {
		before := ""
		var got []string
		for text := range strings.SplitSeq(c.typed, "|") {
			f, as, err := InForce(before, text, bindable)
			if same, e := Parse(as); e != nil || same.String() != f.String() {
				t.Errorf("%q: in force is %q, and %q is %q", text, f, as, same)
			}
			if (err == nil) != (as == text) {
				t.Errorf("%q: %q is in force, and the error is %v", text, as, err)
			}
			before = as
			got = append(got, squeezed(as))
		}
		if want := strings.Split(c.want, "|"); !slices.Equal(got, want) {
			t.Errorf("%s:\n%q, want\n%q", c.typed, got, want)
		}
	}
}

// TestSelectorInForce (17) is the same for label selectors.
func TestSelectorInForce(t *testing.T) {
	for _, c := range []struct{ typed, want string }{
		{"app|app=|app=web|app=web,|app=web,t|app=web,tier in|app=web,tier in (|app=web,tier in (a,|app=web,tier in (a,b)", "app|app=|app=web|app=web|app=web,t|app=web|app=web|app=web|app=web,tier in (a,b)"},
		{"k8s.io|k8s.io/|k8s.io/x", "k8s.io||k8s.io/x"},
		{"app=web,tier=db|app=we b,tier=db", "app=web,tier=db|app=web,tier=db"},
		{"app=web,=x,tier=db", "app=web,tier=db"},
		{"(", ""},
	} {
		before := ""
		var got []string
		for text := range strings.SplitSeq(c.typed, "|") {
			s, as, err := SelectorInForce(before, text)
			if same, e := ParseSelector(as); e != nil || len(same) != len(s) || (err == nil) != (as == text) {
				t.Errorf("%q: %q is in force: %v, %v", text, as, e, err)
			}
			before = as
			got = append(got, as)
		}
		if want := strings.Split(c.want, "|"); !slices.Equal(got, want) {
			t.Errorf("%s:\n%q, want\n%q", c.typed, got, want)
		}
	}
}

// TestMeanwhile (17) holds what applies while the last part of a filter matches nothing
// and is still typed.
func TestMeanwhile(t *testing.T) {
	for _, c := range []struct{ before, text, want string }{
		{"", "restarts", ""}, {"restart", "restarts", ""}, {"web", "web restarts", "web"}, {"web stat", "web status", "web"},
		{"web", "web status:P", "web"}, {"status:", "status:P", "status:"}, {"", "!status:P", ""}, {"web", "web or stat", "web"},
		{"status:Pending", "status:Pendin", "status:Pending"}, {"a (b)", "a (b) x", "a (b)"}, {"", "", ""},
	} {
		if got := Meanwhile(c.before, c.text); got != c.want {
			t.Errorf("%q, %q: %q, want %q", c.before, c.text, got, c.want)
		}
	}
}

// TestParts takes filters apart, whatever is wrong with them.
func TestParts(t *testing.T) {
	for filter, want := range map[string]string{
		"": "", "  ": "", "a b": "a|b", " a  or b ": "a|or|b", "!a not b": "!a|not b", "! a": "! a", "!": "!", "not": "not",
		"(a or b) c": "(a or b)|c", "(a or (b c": "(a or (b c", "!(a) b": "!(a)|b", "a) b": "a|)|b", `"a b" c`: `"a b"|c`, `"a b`: `"a b`, `"a"b c`: `"a"b|c`,
		`(")" a) b`: `(")" a)|b`, "/a b/ c": "/a b/|c", "-l app in (a, b) c": "-l app in (a, b)|c", "age > 3d x": "age > 3d|x", "age>x y": "age>x|y", "restarts>": "restarts>",
		"a and": "a|and", "status:a,b c": "status:a,b|c", "label. web": "label.|web", "(": "(", "()": "()", ")": ")", "!=": "!=",
	} {
		var got []string
		for _, part := range parts(filter) {
			got = append(got, filter[part.from:part.to])
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q: %q, want %q", filter, got, want)
		}
	}
}
