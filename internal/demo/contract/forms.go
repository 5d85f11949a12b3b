//go:build !js

package contract

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

const (
	jsonType     = "application/json"
	protobufType = "application/vnd.kubernetes.protobuf"
	tableType    = "application/json;as=Table;v=v1;g=meta.k8s.io"
)

// negotiation checks which of the accepted media types is used.
func negotiation(t *testing.T, s Server) {
	for accept, want := range map[string]string{
		"": jsonType, "*/*": jsonType, jsonType: jsonType, protobufType: protobufType,
		protobufType + "," + tableType + "," + jsonType:  protobufType,
		jsonType + ";q=0.5," + protobufType + ";q=0.9":   protobufType,
		"text/plain," + jsonType:                         jsonType,
		"application/json;as=Foo;g=meta.k8s.io;v=v1,*/*": jsonType,
		"text/html," + protobufType + ";q=0.1":           protobufType,
	} {
		if a := s.accept(t, accept, pods, "limit", "1"); a.code != 200 || a.contentType != want {
			t.Errorf("%q: %d %s", accept, a.code, a.contentType)
		}
	}
	for _, accept := range []string{"text/plain", "image/png", "application/*", "application/json;as=Foo;g=meta.k8s.io;v=v1", "application/json;as=Table;g=meta.k8s.io;v=v3"} {
		s.accept(t, accept, pods, "limit", "1").status(t, 406, "NotAcceptable", "")
	}
	s.accept(t, protobufType+";as=Foo;g=meta.k8s.io;v=v1", pods).refused(t)
	a := s.accept(t, protobufType, "/api/v1/namespaces/default/pods/nope")
	u := unknown(t, a.body)
	var status metav1.Status
	if err := status.Unmarshal(u.Raw); err != nil || a.code != 404 || a.contentType != protobufType || u.Kind != "Status" || u.APIVersion != "v1" || status.Reason != metav1.StatusReasonNotFound {
		t.Errorf("%d %s %v: %+v", a.code, a.contentType, err, status)
	}
}

// unknown decodes a protobuf envelope.
func unknown(t *testing.T, body []byte) (u runtime.Unknown) {
	t.Helper()
	raw, ok := bytes.CutPrefix(body, []byte("k8s\x00"))
	if !ok {
		t.Fatalf("no envelope: %.40q", body)
	}
	if err := u.Unmarshal(raw); err != nil {
		t.Fatal(err)
	}
	return u
}

// protobuf checks that protobuf has the same content as JSON.
func protobuf(t *testing.T, s Server) {
	want := s.get(t, pods).ok(t)
	version := want.Metadata.ResourceVersion
	u := unknown(t, s.accept(t, protobufType, pods, "resourceVersion", version, "resourceVersionMatch", "Exact").body)
	var l metav1.PartialObjectMetadataList // every list has its metadata in field 1 and its items in field 2
	if err := l.Unmarshal(u.Raw); err != nil || u.Kind != "PodList" || u.APIVersion != "v1" || l.ResourceVersion != version || len(l.Items) != len(want.Items) {
		t.Fatalf("%v: a %s %s of %d items at %s", err, u.APIVersion, u.Kind, len(l.Items), l.ResourceVersion)
	}
	for i, o := range l.Items {
		if m := want.Items[i].Metadata; o.Name != m.Name || string(o.UID) != m.UID || o.ResourceVersion != m.ResourceVersion || len(o.ManagedFields) != len(m.ManagedFields) {
			t.Errorf("%s at %s, and not %+v", o.Name, o.ResourceVersion, m)
		}
	}
	one := "/api/v1/namespaces/" + want.Items[0].Metadata.Namespace + "/pods/" + want.Items[0].Metadata.Name
	u = unknown(t, s.accept(t, protobufType, one).body)
	var o metav1.PartialObjectMetadata
	if err := o.Unmarshal(u.Raw); err != nil || u.Kind != "Pod" || u.APIVersion != "v1" || o.Name != want.Items[0].Metadata.Name {
		t.Errorf("%v: a %s %s", err, u.APIVersion, u.Kind)
	}
	frames(t, s)
}

// frame reads a watch event in protobuf and decodes its object's envelope.
func frame(t *testing.T, watch io.Reader) (e metav1.WatchEvent, u runtime.Unknown) {
	t.Helper()
	var size [4]byte
	if _, err := io.ReadFull(watch, size[:]); err != nil {
		t.Fatal(err)
	}
	body := make([]byte, binary.BigEndian.Uint32(size[:]))
	if _, err := io.ReadFull(watch, body); err != nil {
		t.Fatal(err)
	}
	if err := e.Unmarshal(body); err != nil {
		t.Fatal(err)
	}
	return e, unknown(t, e.Object.Raw)
}

// frames checks the framing of a watch in protobuf.
func frames(t *testing.T, s Server) {
	query := values([]string{"watch", "1", "sendInitialEvents", "true", "resourceVersionMatch", "NotOlderThan", "allowWatchBookmarks", "true", "timeoutSeconds", "60"})
	resp := s.open(t, http.MethodGet, pods, query, http.Header{"Accept": {protobufType + ";stream=watch"}}, "")
	if got := resp.Header.Get("Content-Type"); got != protobufType+";stream=watch" {
		t.Errorf("a watch is %s", got)
	}
	for n := 0; ; n++ {
		var o metav1.PartialObjectMetadata
		e, u := frame(t, resp.Body)
		if err := o.Unmarshal(u.Raw); err != nil || u.Kind != "Pod" || u.APIVersion != "v1" {
			t.Fatalf("%v: %s of a %s %s", err, e.Type, u.APIVersion, u.Kind)
		}
		if e.Type == "BOOKMARK" {
			if o.Annotations[metav1.InitialEventsAnnotationKey] != "true" || n < 5 {
				t.Errorf("%+v after %d", o, n)
			}
			return
		}
		if e.Type != "ADDED" || o.Name == "" {
			t.Fatalf("%s of %q", e.Type, o.Name)
		}
	}
}

// printed is a Table.
type printed struct {
	Kind, APIVersion  string
	Metadata          struct{ ResourceVersion string }
	ColumnDefinitions []struct {
		Name, Type, Format, Description string
		Priority                        int
	}
	Rows []struct {
		Cells  []any
		Object object
	}
}

func (s Server) table(t *testing.T, body []byte) (p printed) {
	t.Helper()
	if err := json.Unmarshal(body, &p); err != nil {
		t.Fatalf("%.200q: %v", body, err)
	}
	if p.Kind != "Table" || p.APIVersion != "meta.k8s.io/v1" || p.Rows == nil {
		t.Fatalf("%.200s", body)
	}
	return p
}

// table checks the Table of a custom kind, and that it has no protobuf.
func table(t *testing.T, s Server) {
	a := s.accept(t, protobufType+","+tableType+","+jsonType, s.Custom)
	p := s.table(t, a.body)
	if a.contentType != jsonType || len(p.ColumnDefinitions) < 2 || p.ColumnDefinitions[0].Name != "Name" || p.ColumnDefinitions[0].Format != "name" || len(p.Rows) == 0 {
		t.Fatalf("%s %.300s", a.contentType, a.body)
	}
	for _, r := range p.Rows {
		if len(r.Cells) != len(p.ColumnDefinitions) || r.Cells[0] != r.Object.Metadata.Name || r.Object.Kind != "PartialObjectMetadata" || r.Object.APIVersion != "meta.k8s.io/v1" || r.Object.Metadata.UID == "" {
			t.Errorf("%+v", r)
		}
	}
	none := s.table(t, s.accept(t, tableType, s.Custom, "includeObject", "None").body)
	whole := s.table(t, s.accept(t, tableType, s.Custom, "includeObject", "Object").body)
	if none.Rows[0].Object.Kind != "" || whole.Rows[0].Object.Kind == "PartialObjectMetadata" || whole.Rows[0].Object.Kind == "" {
		t.Errorf("%+v %+v", none.Rows[0], whole.Rows[0].Object)
	}
	one := s.table(t, s.accept(t, tableType, strings.Replace(s.Custom, "/v1/", "/v1/namespaces/"+p.Rows[0].Object.Metadata.Namespace+"/", 1)+"/"+p.Rows[0].Object.Metadata.Name).body)
	if len(one.Rows) != 1 || len(one.ColumnDefinitions) != len(p.ColumnDefinitions) {
		t.Errorf("%+v", one)
	}
	s.accept(t, protobufType, s.Custom).refused(t)
	if l := s.get(t, s.Custom).ok(t); !strings.HasSuffix(l.Kind, "List") || l.Items[0].Kind+"List" != l.Kind || l.Items[0].APIVersion != l.APIVersion {
		t.Errorf("a %s of %s", l.Kind, l.Items[0].Kind)
	}
	if code := s.accept(t, tableType, pods, "limit", "1").code; (code == 200) != s.Tables {
		t.Errorf("pods as a Table: %d", code)
	}
	tableWatch(t, s)
}

// refused fails the test unless the answer is a 406.
func (a answer) refused(t *testing.T) {
	t.Helper()
	if a.code != http.StatusNotAcceptable {
		t.Errorf("%d %s %.200q", a.code, a.contentType, a.body)
	}
}

// tableWatch checks that the column definitions come with the first event, and that a bookmark
// is a Table too.
func tableWatch(t *testing.T, s Server) {
	a := s.accept(t, tableType, s.Custom, "watch", "1", "sendInitialEvents", "true", "resourceVersionMatch", "NotOlderThan", "allowWatchBookmarks", "true", "timeoutSeconds", "1")
	for i, line := range bytes.Split(bytes.TrimSpace(a.body), []byte("\n")) {
		var e struct {
			Type   string
			Object json.RawMessage
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		p := s.table(t, e.Object)
		if (i == 0) != (len(p.ColumnDefinitions) > 0) || len(p.Rows) != 1 {
			t.Errorf("%d: %s", i, e.Object)
		}
		if e.Type == "BOOKMARK" {
			if p.Rows[0].Object.Metadata.Annotations[metav1.InitialEventsAnnotationKey] != "true" || p.Rows[0].Cells[0] != "" {
				t.Errorf("%s", e.Object)
			}
			return
		}
	}
	t.Errorf("no bookmark in %q", a.body)
}
