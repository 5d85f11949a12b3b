package route

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"watchglass/internal/view"
)

// TestFields checks that each field of an address has a parameter: set alone, on the tab that shows it, it survives
// its URL.
func TestFields(t *testing.T) {
	whole := reflect.TypeFor[Address]()
	for _, leaf := range leaves(whole, nil) {
		name := whole.FieldByIndex(leaf).Name
		survives := false
		for _, tab := range []string{SummaryID, LogsID, ChangesID, RelatedID, CompareID, AccessID} {
			a := Address{Resource: "pods", Selected: "a/b", Tab: tab, Sort: "Age", Embed: EmbedList, With: Object{Resource: "nodes", Name: "n"}}
			set(reflect.ValueOf(&a).Elem().FieldByIndex(leaf), name)
			survives = survives || reflect.DeepEqual(a, again(a))
		}
		if !survives {
			t.Errorf("%s is lost with a reload", name)
		}
	}
}

// leaves returns the fields of a struct and those of the structs in it, but Overview, which follows from the path.
func leaves(of reflect.Type, above []int) (all [][]int) {
	for i := range of.NumField() {
		at := append(append([]int(nil), above...), i)
		switch f := of.Field(i); {
		case f.Type.Kind() == reflect.Struct:
			all = append(all, leaves(f.Type, at)...)
		case f.Name != "Overview":
			all = append(all, at)
		}
	}
	return all
}

// set gives a field a value that an address may have.
func set(v reflect.Value, name string) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int64:
		v.SetInt(1_800_000_000_000_000_001)
	case reflect.Slice:
		v.Set(reflect.ValueOf([]string{"a", "b"}))
	default:
		v.SetString(map[string]string{"Columns": "Name:80,label.app", "Embed": EmbedObject, "Tab": YAMLID}[name])
		if v.String() == "" {
			v.SetString("ünlike & +%,")
		}
	}
}

// again returns the address after a reload.
func again(a Address) Address {
	path, query, _ := strings.Cut(a.String(""), "?")
	return Parse("", path, query)
}

// TestAddressSurvives checks that random addresses, with all that their tab shows, survive their URLs.
func TestAddressSurvives(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	one := func(of ...string) string { return of[random.IntN(len(of))] }
	text := func() string { return one("", "", "a", "a b", "-", "é%+&=;#?/", "(a or b) !c", "\x00") }
	on := func() bool { return random.IntN(2) == 0 }
	moment := func() int64 { return random.Int64N(2) * random.Int64N(7e18) }
	for range 5_000 {
		a := Address{Resource: one("pods", "deployments.apps", TimelineID), Context: text(), Labels: text(), Filter: text(), Sort: one("", "Age", "Nominated Node"), Group: text(), Sum: text(), Columns: one("", "wide", view.AllColumns+",label.app", "Name:80,{.spec.nodeName}"), Selected: one("a/b", "b"), Container: text(), Previous: on(), At: moment(), Embed: one("", EmbedList, EmbedObject)}
		a.Descending, a.Hosted = a.Sort != "" && on(), a.Embed != "" && on()
		a.Timeline = Timeline{text(), text(), moment(), moment()}
		if on() {
			a.Namespaces = []string{"x", "y"}
		}
		if on() {
			a.With = Object{text(), "pods", one("", "a"), one("b", "c:d")}
		}
		switch a.Tab = one("", LogsID, ChangesID, RelatedID, CompareID, AccessID); a.Tab {
		case LogsID:
			a.Log = Log{text(), one("", "all", "300"), on(), on(), moment(), moment(), on()}
		case ChangesID:
			a.Revisions = text()
		case RelatedID:
			a.Expanded = text()
		case CompareID:
			a.Flip = on()
		case AccessID:
			a.Access = Access{text(), text()}
		}
		if got := again(a); !reflect.DeepEqual(got, a) {
			t.Fatalf("%+v\nis written %s, which is\n%+v", a, a.String(""), got)
		}
	}
}
