//go:build !js

package relay

import (
	"fmt"
	"mime"
	"net/http"

	"watchglass/internal/wire"
)

// answer returns how to read an answer, by its media type.
func (u *unframer) answer(r wire.Request, resp *http.Response) (func() error, wire.Encoding, *wire.Status) {
	mediaType, params, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		mediaType = resp.Header.Get("Content-Type")
	}
	if params["stream"] == "watch" && r.Verb != wire.Watch { // only protobuf says so; a watch in JSON does not
		return nil, "", proxyStatus(wire.ReasonMalformed, "the response is a watch, but no watch was requested")
	}
	if r.Verb == wire.Log && resp.StatusCode == http.StatusNoContent { // the pod is not on a node yet
		mediaType = "text/plain"
	}
	read, encoding := u.reader(r, mediaType)
	if read == nil {
		return nil, "", &wire.Status{
			Origin: wire.FromNetwork, Reason: wire.ReasonMalformed, Code: resp.StatusCode,
			Message: fmt.Sprintf("the response has content type %q, not that of a Kubernetes API: something in front of the apiserver sent it", mediaType),
		}
	}
	return read, encoding, nil
}

// reader returns how to read an answer of a media type, or nil if the request cannot have such
// an answer.
func (u *unframer) reader(r wire.Request, mediaType string) (func() error, wire.Encoding) {
	type key struct {
		verb      wire.Verb
		mediaType string
	}
	const protobuf, json, text = "application/vnd.kubernetes.protobuf", "application/json", "text/plain"
	switch {
	case r.Verb != wire.Get || r.Encoding != wire.EncodingJSON:
	case mediaType == json:
		return u.onlyObject, wire.EncodingJSON
	default:
		return nil, "" // the tab would parse it as JSON
	}
	read := map[key]func() error{
		{wire.Watch, protobuf}: u.watchProtobuf,
		{wire.List, protobuf}:  u.listProtobuf,
		{wire.Get, protobuf}:   u.objectProtobuf,
		{wire.Watch, json}:     u.watchJSON,
		{wire.List, json}:      u.listJSON,
		{wire.Get, json}:       u.objectJSON,
		{wire.Discover, json}:  u.objectJSON,
		{wire.Review, json}:    u.objectJSON,
		{wire.Log, text}:       u.text,
	}[key{r.Verb, mediaType}]
	switch mediaType {
	case protobuf:
		return read, wire.EncodingProtobuf
	case json:
		return read, wire.EncodingJSON
	}
	return read, wire.EncodingDefault
}
