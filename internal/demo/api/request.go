//go:build !js

package api

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"watchglass/internal/demo/store"
)

// request is a parsed read of a kind's objects.
type request struct {
	route
	form     form
	resource *store.Resource
	options  internalversion.ListOptions
	selector selector
}

// parse reads the options of a list or watch, as the API machinery does.
func (q *request) parse(query url.Values) *metav1.Status {
	if err := scheme.ParameterCodec.DecodeParameters(query, metav1.SchemeGroupVersion, &q.options); err != nil {
		return badRequest("%s", err)
	}
	internalversion.SetListOptionsDefaults(&q.options, true)
	if errs := validation.ValidateListOptions(&q.options, true); len(errs) > 0 {
		return statusOf(apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}, "", errs))
	}
	var err error
	if q.selector, err = newSelector(q.kind, q.options.LabelSelector, q.options.FieldSelector); err != nil {
		return badRequest("%s", err)
	}
	return nil
}

// parseVersion reads a version as the storage does; an empty one and 0 are 0.
func parseVersion(text string) (int64, error) {
	if text == "" || text == "0" {
		return 0, nil
	}
	v, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return 0, field.ErrorList{field.Invalid(field.NewPath("resourceVersion"), text, err.Error())}.ToAggregate()
	}
	return int64(v), nil
}

// token is a continue token: the list's version and the key after which it continues. It has
// the format that a real server uses with etcd.
type token struct {
	APIVersion string `json:"v"`
	Version    int64  `json:"rv"`
	Start      string `json:"start"`
}

// latest is the version of a list that continues after its own version has expired.
const latest = -1

func (t token) String() string {
	t.APIVersion = "meta.k8s.io/v1"
	text, _ := json.Marshal(t) // of strings and numbers
	return base64.RawURLEncoding.EncodeToString(text)
}

// after returns the token for continuing after a key.
func after(k store.Key, version int64) string {
	return token{Version: version, Start: k.Namespace + "/" + k.Name + "\x00"}.String()
}

// key returns the key to continue from.
func (t token) key() store.Key {
	namespace, name, _ := strings.Cut(t.Start, "/")
	return store.Key{Namespace: namespace, Name: name}
}

func parseToken(text string) (t token, status *metav1.Status) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(raw, &t)
	}
	switch {
	case err != nil:
	case t.APIVersion != "meta.k8s.io/v1":
		return t, badRequest("invalid continue token: continue key is not valid: server does not recognize this encoded version %s", t.APIVersion)
	case t.Version == 0:
		err = fmt.Errorf("incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
	case t.Start == "":
		err = fmt.Errorf("encoded start key empty (version meta.k8s.io/v1)")
	}
	if err != nil {
		return t, badRequest("invalid continue token: continue key is not valid: %s", err)
	}
	return t, nil
}
