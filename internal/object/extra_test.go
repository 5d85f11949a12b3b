//go:build !js

package object

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/jsonpath"
	"sigs.k8s.io/randfill/bytesource"

	"watchglass/internal/object/encoded"
	"watchglass/internal/object/schema"
	"watchglass/internal/object/tree"
	"watchglass/internal/query"
)

// somePaths are paths that users ask for, of pods.
var somePaths = []string{
	"{.spec.nodeName}", "{.spec.priority}", "{.spec.hostNetwork}", "{.spec.containers[*].image}", "{.spec.containers[0].name}",
	"{.spec.containers[-1].name}", "{.spec.containers[*].ports[*].containerPort}", "{.spec.nodeSelector}", "{.spec.nodeSelector.*}",
	"{.spec.tolerations[?(@.operator==\"Exists\")].key}", "{.status.conditions[?(@.status=='True')].type}", "{.status.startTime}",
	"{.spec.containers[*].resources.requests.cpu}", "{.spec.containers[*].resources.limits}", "{.metadata.labels}",
	"{.metadata.ownerReferences[0].name}", "{.metadata.generation}", "{.spec.volumes[*].name}", "{.spec.volumes[?(@.hostPath)].name}",
	"{.spec.containers[*].livenessProbe.httpGet.port}", "{.status.podIPs}", "{.metadata.name}", "{.spec.nothing.here}",
}

// picked returns what client-go's JSONPath finds, with each value as our Node prints it; null
// values are left out.
func picked(t *testing.T, path string, doc []byte) string {
	t.Helper()
	var value any
	decoder := json.NewDecoder(strings.NewReader(string(doc)))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	j := jsonpath.New("x").AllowMissingKeys(true)
	if err := j.Parse(path); err != nil {
		t.Fatal(path, err)
	}
	results, err := j.FindResults(value)
	if err != nil { // an index beyond the list is an error there, but not here
		return ""
	}
	var all []string
	for _, found := range results {
		for _, v := range found {
			if !v.IsValid() || v.Interface() == nil {
				continue
			}
			if text, ok := v.Interface().(string); ok {
				all = append(all, text)
				continue
			}
			text, err := json.Marshal(v.Interface())
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, string(text))
		}
	}
	return joined(path, all)
}

// joined joins values. It sorts those of a map, whose order is not defined.
func joined(path string, all []string) string {
	if strings.Contains(path, ".*") {
		slices.Sort(all)
	}
	return strings.Join(all, "\n")
}

// reached returns what our path finds.
func reached(t *testing.T, path string, root tree.Node) string {
	t.Helper()
	p, err := query.ParsePath(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	p.Find(root, func(n tree.Node) { all = append(all, sorted(n.Text())) })
	return joined(path, all)
}

// sorted returns a text; the members of a JSON document are sorted.
func sorted(text string) string {
	if text == "" || text[0] != '{' && text[0] != '[' {
		return text
	}
	var value any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return text
	}
	out, err := json.Marshal(value)
	if err != nil {
		return text
	}
	return string(out)
}

// FuzzExtra checks that a path finds the same values as client-go's JSONPath, in protobuf and
// in JSON.
func FuzzExtra(f *testing.F) {
	for i := range 40 {
		f.Add([]byte(fmt.Sprint("pod ", i, strings.Repeat("abc", i))))
	}
	f.Fuzz(func(t *testing.T, random []byte) {
		pod := &corev1.Pod{}
		fillerFrom(bytesource.New(random)).Fill(pod)
		pod.TypeMeta.APIVersion, pod.TypeMeta.Kind, pod.ManagedFields = "v1", "Pod", nil
		doc, err := json.Marshal(pod)
		if err != nil {
			t.Fatal(err)
		}
		raw, ok := rawOf(payload(t, pod))
		if !ok {
			t.Fatal("no envelope")
		}
		message, _ := schema.Of("v1", "Pod")
		for _, path := range somePaths {
			want := picked(t, path, doc)
			if got := reached(t, path, tree.FromJSON(doc)); got != want {
				t.Errorf("%s of JSON: %q, not %q", path, got, want)
			}
			if got := reached(t, path, tree.FromMessage(message, raw)); got != want {
				t.Errorf("%s of protobuf: %q, not %q", path, got, want)
			}
		}
	})
}

func rawOf(sent []byte) ([]byte, bool) {
	_, _, raw, err := encoded.Open(sent)
	return raw, err == nil
}

// TestExtras checks the cells of added columns in every encoding, and that an object can be
// decoded again from its bytes with other columns.
func TestExtras(t *testing.T) {
	pod := &corev1.Pod{}
	pod.Name, pod.Namespace = "web-0", "team-a"
	pod.Labels = map[string]string{"app": "web", "app.kubernetes.io/name": "site", "empty": ""}
	pod.Annotations = map[string]string{"example.com/owner": "ana\nbob"}
	pod.Spec.NodeName = "n7"
	pod.Spec.InitContainers = []corev1.Container{{Image: "setup:1"}, {Image: "web:2"}}
	pod.Spec.Containers = []corev1.Container{{Name: "a", Image: "web:2"}, {Name: "b", Image: "proxy:3"}}
	kind := kindOf(t, pod)
	var extras []Extra
	var labels []Column
	for _, name := range []string{"label.app", "label.app.kubernetes.io/name", "label.none", "label.empty", "annotation.example.com/owner", "{.spec.nodeName}", "{.spec.containers[*].name}", "{.spec.priority}"} {
		e, err := ParseExtra(name)
		if err != nil {
			t.Fatal(err)
		}
		if e.Printed() {
			extras = append(extras, e)
		} else {
			labels = append(labels, e.LabelColumn())
		}
	}
	sent := payload(t, pod)
	first := NewDecoder(kind, true)
	o, err := first.Decode(sent)
	if err != nil {
		t.Fatal(err)
	}
	d := NewDecoder(kind, true, extras...)
	again, err := d.Decode(kind.Payload(o))
	if err != nil {
		t.Fatal("not had again:", err)
	}
	doc, err := json.Marshal(pod)
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := d.Decode(sent)
	if err != nil {
		t.Fatal(err)
	}
	table, row := tableOf(t, first, o, doc)
	table.extras = extras
	if _, err := table.SetColumns([]byte(`[{"name":"Name","format":"name"},{"name":"Ready"},{"name":"Status"},{"name":"Restarts"},{"name":"Age"},{"name":"IP"},{"name":"Node"},{"name":"Nominated Node"},{"name":"Readiness Gates"}]`)); err != nil {
		t.Fatal(err)
	}
	fromRow, err := table.Decode(row)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"ana bob", "n7", "a,b", none, "web", "site", none, none}
	for what, have := range map[string]struct {
		*Decoder
		*Object
	}{"again": {d, again}, "protobuf": {d, fresh}, "a row": {table, fromRow}} {
		columns := slices.Concat(labels, have.Columns(), labels)
		var got []string
		for i := len(columns) - len(labels) - len(extras); i < len(columns); i++ {
			got = append(got, have.Cell(columns, i).Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, not %q", what, got, want)
		}
	}
	if c := d.Columns()[len(d.Columns())-1]; c.Kind != NumberCell {
		t.Error("a priority is no number")
	}
	if got := slices.Collect(fresh.Images()); !slices.Equal(got, []string{"web:2", "proxy:3", "setup:1"}) {
		t.Errorf("images: %q", got)
	}
	o.packed.Store(nil)
	if kind.Payload(o) != nil {
		t.Error("had again without its bytes")
	}
}

// TestParseExtra checks which names can be added as columns, and the errors for the others.
func TestParseExtra(t *testing.T) {
	for name, want := range map[string]string{
		"label.app": "", "annotation.a/b": "", "{.spec.replicas}": "",
		"Status": `there is no column "Status"`, "label.": `there is no column "label."`,
		"{.spec": "the column {.spec: at character 7: the path ends, expected '}'",
	} {
		if _, err := ParseExtra(name); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: %v, not %q", name, err, want)
		}
	}
	for name, want := range map[string]bool{"label.a": false, "annotation.a": false, "{.metadata.generation}": false, "{.spec.a}": true} {
		if e, _ := ParseExtra(name); e.NeedsBody() != want {
			t.Errorf("%s needs a body: %v", name, !want)
		}
	}
}

// TestEndOfList parses the bookmark that ends a list.
func TestEndOfList(t *testing.T) {
	version, end, err := NewDecoder(builtin[0], false).Bookmark(EndOfList("42"))
	if version != "42" || !end || err != nil {
		t.Error(version, end, err)
	}
}
