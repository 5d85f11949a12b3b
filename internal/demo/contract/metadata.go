//go:build !js

package contract

import (
	"fmt"
	"net/http"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// metadataOf returns the media type of metadata alone, for a list or a watch.
func metadataOf(kind string) string { return protobufType + ";as=" + kind + ";g=meta.k8s.io;v=v1" }

// metadata checks that the metadata of a built-in and of a custom kind can be listed and watched
// alone, as protobuf.
func metadata(t *testing.T, s Server) {
	for _, path := range []string{pods, s.Custom} {
		want := s.get(t, path).ok(t)
		a := s.accept(t, metadataOf("PartialObjectMetadataList"), path, "resourceVersion", want.Metadata.ResourceVersion, "resourceVersionMatch", "Exact")
		u := unknown(t, a.body)
		var l metav1.PartialObjectMetadataList
		if err := l.Unmarshal(u.Raw); err != nil || a.contentType != protobufType || u.Kind != "PartialObjectMetadataList" || u.APIVersion != "meta.k8s.io/v1" || len(l.Items) != len(want.Items) || len(l.Items) == 0 {
			t.Fatalf("%s: %v %s: a %s %s of %d items, not %d", path, err, a.contentType, u.APIVersion, u.Kind, len(l.Items), len(want.Items))
		}
		of := make(map[string]string)
		for i, o := range l.Items {
			of[o.Namespace+"/"+o.Name] = string(o.UID)
			if m := want.Items[i].Metadata; o.Name != m.Name || string(o.UID) != m.UID || o.ResourceVersion != m.ResourceVersion || fmt.Sprint(o.Labels) != fmt.Sprint(m.Labels) {
				t.Errorf("%s: %s at %s, and not %+v", path, o.Name, o.ResourceVersion, m)
			}
		}
		metadataWatch(t, s, path, of)
	}
}

// metadataWatch checks that a watch of metadata starts with the existing objects.
func metadataWatch(t *testing.T, s Server, path string, of map[string]string) {
	query := values([]string{"watch", "true", "sendInitialEvents", "true", "resourceVersionMatch", "NotOlderThan", "allowWatchBookmarks", "true", "timeoutSeconds", "60"})
	resp := s.open(t, http.MethodGet, path, query, http.Header{"Accept": {metadataOf("PartialObjectMetadata")}}, "")
	if got := resp.Header.Get("Content-Type"); got != protobufType+";stream=watch" {
		t.Fatalf("%s: a watch is %s", path, got)
	}
	seen := 0
	for {
		var o metav1.PartialObjectMetadata
		e, u := frame(t, resp.Body)
		if err := o.Unmarshal(u.Raw); err != nil || u.Kind != "PartialObjectMetadata" || u.APIVersion != "meta.k8s.io/v1" {
			t.Fatalf("%s: %v: %s of a %s %s", path, err, e.Type, u.APIVersion, u.Kind)
		}
		if e.Type == "BOOKMARK" {
			if o.Annotations[metav1.InitialEventsAnnotationKey] != "true" || seen == 0 {
				t.Errorf("%s: %+v after %d", path, o, seen)
			}
			return
		}
		if uid := of[o.Namespace+"/"+o.Name]; e.Type == "ADDED" && uid == string(o.UID) {
			seen++
		}
	}
}
