//go:build !js

package api

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/munnerz/goautoneg"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"watchglass/internal/demo/store"
)

// form encodes the objects of a kind for one request.
type form interface {
	contentType(watch bool) string
	// object appends an object to a buffer.
	object(b []byte, o *store.Object) ([]byte, error)
	list(w io.Writer, objects []*store.Object, meta metav1.ListMeta) error
	// bookmark returns an object that has only metadata.
	bookmark(meta metav1.ObjectMeta) ([]byte, error)
	status(s *metav1.Status) []byte
	// event appends the result of object, bookmark or status as a watch event.
	event(b []byte, name string, object []byte) []byte
}

// The supported media types.
const (
	jsonType     = "application/json"
	protobufType = "application/vnd.kubernetes.protobuf"
)

// negotiate returns the first form in the Accept header that the kind supports. Without a kind
// it is the form of a Status.
func negotiate(r *http.Request, k *Kind, now func() time.Time) (form, *metav1.Status) {
	header := strings.Join(r.Header.Values("Accept"), ",")
	if header == "" {
		return jsonForm{k}, nil
	}
	known := false
	for _, clause := range goautoneg.ParseAccept(header) {
		for _, mediaType := range []string{jsonType, protobufType} {
			if !matches(clause, mediaType) {
				continue
			}
			known = true
			if f := k.form(mediaType, clause.Params, r, now); f != nil {
				return f, nil
			}
		}
	}
	return nil, unacceptable(known)
}

func matches(clause goautoneg.Accept, mediaType string) bool {
	asked := clause.Type + "/" + clause.SubType
	return asked == mediaType || asked == "*/*"
}

// form returns the form for a media type; nil if the kind does not support it.
func (k *Kind) form(mediaType string, params map[string]string, r *http.Request, now func() time.Time) form {
	as := schema.GroupVersionKind{Group: params["g"], Version: params["v"], Kind: params["as"]}
	custom := k != nil && k.New == nil
	switch {
	case as == metav1.SchemeGroupVersion.WithKind("Table") && custom && mediaType == jsonType:
		return newTable(k, r.URL.Query().Get("includeObject"), now)
	case as == metav1.SchemeGroupVersion.WithKind(metadataKind(r)) && k != nil && mediaType == protobufType:
		return newMetadataForm(k)
	case as != (schema.GroupVersionKind{}) && k != nil:
		return nil
	case mediaType == jsonType:
		return jsonForm{k}
	case !custom:
		return protobufForm{k}
	}
	return nil
}

// metadataKind returns the kind that a request for metadata names: PartialObjectMetadata for a
// watch, PartialObjectMetadataList for a list.
func metadataKind(r *http.Request) string {
	if watch, err := strconv.ParseBool(r.URL.Query().Get("watch")); err == nil && watch {
		return "PartialObjectMetadata"
	}
	return "PartialObjectMetadataList"
}

// unacceptable returns a 406. A real server has two of them: the router's, for a type that no
// resource supports, and the resource's, for one that only this resource does not.
func unacceptable(known bool) *metav1.Status {
	const types = jsonType + ", " + protobufType
	if known {
		s := generic(http.StatusNotAcceptable)
		s.Message, s.Details = "only the following media types are accepted: "+types, nil
		return s
	}
	message := fmt.Sprintf("406: Not Acceptable\n\nAvailable representations: %s", types)
	return statusOf(apierrors.NewGenericServerResponse(http.StatusNotAcceptable, "", schema.GroupResource{}, "", message, 0, true))
}
