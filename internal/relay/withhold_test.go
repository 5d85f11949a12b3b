//go:build !js

package relay

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"watchglass/internal/object/encoded"
	"watchglass/internal/wire"
)

// canary is a value that must not pass. It does not have the form of a name.
const canary = "CANARY-correct-horse-battery-staple"

// forms are the ways in which tools copy a value.
var forms = []func(string) string{
	func(s string) string { return s },
	func(s string) string { return `{"apiVersion":"v1","data":{"password":"` + inBase64(s) + `"}}` },
	inBase64,
	func(s string) string { return inBase64("x" + s) },
	func(s string) string { return "v1:" + inBase64(zipped(`{"data":{"password":"`+inBase64(s)+`"}}`)) },
	func(s string) string { return inBase64(inBase64(zipped("manifest: |\n  password: " + s))) }, // as Helm does
}

func inBase64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func zipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, s) // to memory
	_ = w.Close()
	return b.String()
}

var encodedRun = regexp.MustCompile(`[A-Za-z0-9+/_-]{12,}`)

// exposes searches for the canary in what passed: plain, in base64, in gzip, and in combinations of
// these.
func exposes(text []byte, depth int) bool {
	if bytes.Contains(text, []byte(canary)) {
		return true
	}
	if depth == 0 {
		return false
	}
	for at := 0; ; at++ {
		i := bytes.Index(text[at:], []byte("\x1f\x8b\x08"))
		if i < 0 {
			break
		}
		at += i
		if r, err := gzip.NewReader(bytes.NewReader(text[at:])); err == nil {
			r.Multistream(false)
			if plain, _ := io.ReadAll(r); exposes(plain, depth-1) {
				return true
			}
		}
	}
	standard := strings.NewReplacer("-", "+", "_", "/")
	for _, run := range encodedRun.FindAll(text, -1) {
		for cut := range 4 {
			whole := (len(run) - cut) / 4 * 4
			if plain, err := base64.StdEncoding.DecodeString(standard.Replace(string(run[cut : cut+whole]))); err == nil && exposes(plain, depth-1) {
				return true
			}
			if plain, err := base64.RawStdEncoding.DecodeString(standard.Replace(string(run[cut:]))); err == nil && exposes(plain, depth-1) {
				return true
			}
		}
	}
	return false
}

// TestExposes shows that a canary is found in each of its forms.
func TestExposes(t *testing.T) {
	for i, form := range forms {
		for _, text := range []string{form(canary), "a: " + form(canary) + "\n", `{"a":"` + form(canary) + `"}`} {
			if !exposes([]byte(text), 4) {
				t.Errorf("form %d is not found in %q", i, text)
			}
		}
	}
	if exposes([]byte(`{"kind":"Secret","data":{"password":""},"type":"kubernetes.io/dockerconfigjson"}`), 4) {
		t.Error("there is none")
	}
}

// repeating are the annotations in which tools store copies or hashes of a Secret.
var repeating = []string{
	lastApplied, "kapp.k14s.io/original", "kapp.k14s.io/original-diff-md5", "objectset.rio.cattle.io/applied",
	"reconcile.external-secrets.io/data-hash", "kubernetes.io/description", "a",
}

// noisySecret has its value in every annotation.
func noisySecret() *corev1.Secret {
	s := secret("s")
	s.Data = map[string][]byte{"password": []byte(canary)}
	s.StringData = map[string]string{"token": canary}
	s.Annotations = map[string]string{releaseName: "web"}
	for i, key := range repeating {
		s.Annotations[key] = forms[i%len(forms)](canary)
	}
	s.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl", Operation: "Apply", FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(
		`{"f:data":{".":{},"f:password":{},"v:\"` + canary + `\"":{}},"f:metadata":{"f:finalizers":{"v:\"keep\"":{}},"f:annotations":{"f:a":"` + canary + `"}}}`)}}
	return s
}

// TestAnnotations shows, for every form of an answer, what passes of a Secret's annotations: their
// names, and the values of a few that hold names.
func TestAnnotations(t *testing.T) {
	s := noisySecret()
	list := metav1.TypeMeta{APIVersion: "v1", Kind: "SecretList"}
	for name, a := range answers(t, s, &corev1.SecretList{TypeMeta: list, Items: []corev1.Secret{*s, *s}}) {
		for _, w := range []withhold{{secret: true}, {}, {secret: true, managedFields: true}} {
			events, err := collect(bytes.NewReader(a.bytes), a.read, w)
			if err != nil {
				t.Fatal(name, err)
			}
			notes := 0
			for _, e := range events {
				if exposes(e.Payload, 4) {
					t.Errorf("%s: the value passed: %q", name, e.Payload)
				}
				for _, key := range append(repeating[:len(repeating)-1], releaseName, "web") {
					notes += bytes.Count(e.Payload, []byte(key))
				}
				if managed := bytes.Contains(e.Payload, []byte("f:password")) && bytes.Contains(e.Payload, []byte("keep")); managed != w.managedFields && e.Type != wire.ListEnd && e.Type != wire.Columns {
					t.Errorf("%s: %v of the managed fields: %q", name, managed, e.Payload)
				}
			}
			if notes < len(repeating)+1 {
				t.Errorf("%s: of the names of annotations %d passed", name, notes)
			}
		}
	}
}

// TestSecretsInDisguise shows that a Secret is recognised where none was requested.
func TestSecretsInDisguise(t *testing.T) {
	raw := inBase64(canary)
	note := `"metadata":{"name":"s","annotations":{"` + lastApplied + `":"` + canary + `"}}`
	bare := note + `,"data":{"password":"` + raw + `"}`
	whole := `{"apiVersion":"v1","kind":"Secret",` + bare + `}`
	event := func(name, object string) string { return `{"type":"` + name + `","object":` + object + `}` }
	list := func(items string) string { return `{"kind":"List","apiVersion":"v1","items":[` + items + `]}` }
	for name, c := range map[string]struct {
		answer string
		read   func(*unframer) error
		w      withhold
	}{
		"a field in capitals":            {`{"apiVersion":"v1","kind":"Secret","Data":{"password":"` + raw + `"},"DATA":"` + raw + `"}`, (*unframer).objectJSON, withhold{}},
		"a field that is escaped":        {`{"apiVersion":"v1","kind":"Secret","dat\u0061":{"password":"` + raw + `"}}`, (*unframer).objectJSON, withhold{}},
		"a field that is there twice":    {`{"apiVersion":"v1","kind":"Secret","data":{"password":"` + raw + `"},"data":{"password":"` + raw + `"}}`, (*unframer).objectJSON, withhold{}},
		"a field that is new":            {`{"apiVersion":"v1","kind":"Secret","encrypted":{"password":"` + raw + `"},"metadata":{"name":"s","notes":"` + canary + `"}}`, (*unframer).objectJSON, withhold{}},
		"a field that is no map":         {`{"apiVersion":"v1","kind":"Secret","data":"` + raw + `","stringData":["` + canary + `"]}`, (*unframer).objectJSON, withhold{}},
		"a kind that is escaped":         {`{"apiVersion":"v\u0031","k\u0069nd":"Secr\u0065t",` + bare + `}`, (*unframer).objectJSON, withhold{}},
		"a kind behind the rest":         {`{` + bare + `,"kind":"Secret","apiVersion":"v1"}`, (*unframer).objectJSON, withhold{}},
		"two kinds":                      {`{"kind":"Secret","kind":"Pod","apiVersion":"v1",` + bare + `}`, (*unframer).objectJSON, withhold{}},
		"no kind":                        {event("ADDED", `{`+bare+`}`), (*unframer).watchJSON, withhold{}},
		"a kind in capitals":             {event("ADDED", `{"KIND":"Secret","apiVersion":"v1",`+bare+`}`), (*unframer).watchJSON, withhold{}},
		"another version":                {`{"apiVersion":"v2","kind":"Secret",` + bare + `}`, (*unframer).objectJSON, withhold{}},
		"another group":                  {`{"apiVersion":"mirror.example.com/v1","kind":"Secret",` + bare + `}`, (*unframer).objectJSON, withhold{}},
		"another group's, as metadata":   {`{"kind":"Table","rows":[{"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",` + note + `}}]}`, (*unframer).listJSON, withhold{namesake: true}},
		"metadata alone":                 {`{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","items":[{` + note + `}]}`, (*unframer).listJSON, withhold{secret: true}},
		"a list":                         {`{"kind":"SecretList","apiVersion":"v1","items":[{` + bare + `}]}`, (*unframer).listJSON, withhold{}},
		"a list for an object":           {`{"kind":"SecretList","apiVersion":"v1","items":[{` + bare + `}]}`, (*unframer).objectJSON, withhold{}},
		"a list of a kind that is late":  {`{"items":[{` + bare + `}],"kind":"SecretList","apiVersion":"v1"}`, (*unframer).listJSON, withhold{}},
		"a list of two kinds":            {`{"kind":"SecretList","kind":"PodList","apiVersion":"v1","items":[{` + bare + `}]}`, (*unframer).listJSON, withhold{}},
		"a list of a kind that escapes":  {`{"kind":"S\u0065cretList","apiVersion":"v1","items":[{` + bare + `}]}`, (*unframer).listJSON, withhold{}},
		"a list of any":                  {list(whole), (*unframer).listJSON, withhold{}},
		"a list in a list":               {list(list(whole)), (*unframer).listJSON, withhold{}},
		"a list in a list for an object": {list(list(whole)), (*unframer).objectJSON, withhold{}},
		"lists in lists in lists":        {strings.Repeat(`{"kind":"List","items":[`, 9) + whole + strings.Repeat(`]}`, 9), (*unframer).objectJSON, withhold{}},
		"a list with two lists":          {`{"kind":"List","items":[` + whole + `],"items":null}`, (*unframer).objectJSON, withhold{}},
		"a release of two names":         {`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"` + helmRelease + `web.v1"},"metadata":{"name":"web"},"data":{"release":"` + raw + `"}}`, (*unframer).objectJSON, withhold{}},
		"a Table in a list":              {list(`{"kind":"Table","rows":[{"object":` + whole + `}]}`), (*unframer).listJSON, withhold{}},
		"a Table that is escaped":        {`{"kind":"T\u0061ble","rows":[{"object":` + whole + `}]}`, (*unframer).objectJSON, withhold{}},
		"a row":                          {`{"kind":"Table","rows":[{"cells":["s"],"object":` + whole + `}]}`, (*unframer).listJSON, withhold{}},
		"a row twice":                    {`{"kind":"Table","rows":[{"cells":["s"],"object":{"kind":"Pod"},"object":` + whole + `}]}`, (*unframer).listJSON, withhold{}},
		"a bookmark":                     {event("BOOKMARK", whole), (*unframer).watchJSON, withhold{}},
		"an error":                       {event("ERROR", whole), (*unframer).watchJSON, withhold{}},
	} {
		events, err := collect(strings.NewReader(c.answer), c.read, c.w)
		if err != nil && !errors.Is(err, encoded.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
		for _, e := range events {
			if exposes(e.Payload, 4) {
				t.Errorf("%s: the value passed: %q", name, e.Payload)
			}
		}
	}
}

// TestListsInLists shows that the nesting of lists is limited, since each level is read again.
func TestListsInLists(t *testing.T) {
	for _, depth := range []int{maxLists, maxLists + 1, 2_000} {
		doc := strings.Repeat(`{"kind":"List","items":[`, depth) + strings.Repeat(`]}`, depth)
		if _, err := collect(strings.NewReader(doc), (*unframer).objectJSON, withhold{}); errors.Is(err, encoded.ErrMalformed) != (depth > maxLists) {
			t.Errorf("%d lists: %v", depth, err)
		}
	}
}

// TestNamesakes shows that a kind named Secret of another API group passes unchanged, if it has no
// fields like the values of a Secret.
func TestNamesakes(t *testing.T) {
	for _, doc := range []string{
		`{"apiVersion":"secretsmanager.example.com/v1","kind":"Secret","metadata":{"name":"s","annotations":{"crossplane.io/external-name":"arn:a"}},"spec":{"secretRef":"x"},"status":{"data":1}}`,
		`{"apiVersion":"bitnami.com/v1alpha1","kind":"SealedSecret","spec":{"encryptedData":{"a":"Ag"},"template":{"data":{"b":"c"}}}}`,
		`{"apiVersion":"example.com/v1","kind":"DenyList","items":["a",{"data":"b"},[1]],"data":{"x":"y"}}`,
		`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"web"},"data":{"release":"x"}}`,
	} {
		events, err := collect(strings.NewReader(doc), (*unframer).objectJSON, withhold{})
		if err != nil || len(events) != 1 || string(events[0].Payload) != doc {
			t.Errorf("%s: %v %q", doc, err, events)
		}
	}
}

// TestHelmReleases shows that a release that Helm stores in a ConfigMap does not pass: it contains
// the manifests of Secrets.
func TestHelmReleases(t *testing.T) {
	release := forms[len(forms)-1](canary)
	c := &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Name: helmRelease + "web.v1", Namespace: "a", Labels: map[string]string{"owner": "helm"}},
		Data:       map[string]string{"release": release}, BinaryData: map[string][]byte{"b": []byte(zipped(canary))},
	}
	list := &corev1.ConfigMapList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMapList"}, Items: []corev1.ConfigMap{*c, *c}}
	for name, a := range answers(t, c, list) {
		want := c.DeepCopy()
		want.Data["release"], want.BinaryData["b"] = "", []byte{}
		compare(t, a.bytes, a.read, withhold{}, want)
		if events, _ := collect(bytes.NewReader(a.bytes), a.read, withhold{}); slices.ContainsFunc(events, func(e wire.Event) bool { return exposes(e.Payload, 4) }) {
			t.Errorf("%s: the release passed", name)
		}
	}
}

// seal returns a message in an envelope, both unchecked.
func seal(typeMeta, msg []byte) []byte {
	return appendBytes(appendBytes([]byte(encoded.Magic), 1, typeMeta), 2, msg)
}

// TestProtobufInDisguise shows that no value passes in unknown or repeated fields.
func TestProtobufInDisguise(t *testing.T) {
	entry := appendBytes(appendBytes(nil, 1, []byte("password")), 2, []byte(canary))
	twice := append(bytes.Clone(entry), entry...)
	notes := appendBytes(nil, 12, appendBytes(appendBytes(appendBytes(nil, 1, []byte(releaseName)), 2, []byte(canary)), 1, []byte("a")))
	group := append(protowire.AppendTag(nil, 5, protowire.StartGroupType), appendBytes(nil, 1, []byte(canary))...)
	group = protowire.AppendTag(group, 5, protowire.EndGroupType)
	said := typeMetaOf("v1", "Secret")
	named := appendBytes(nil, fieldName, []byte(helmRelease+"web.v1"))
	release := appendBytes(appendBytes(nil, fieldMetadata, named), 2, entry)
	inGroup := protowire.AppendTag(append(protowire.AppendTag(nil, 1, protowire.StartGroupType), named...), 1, protowire.EndGroupType)
	kindFirst := appendBytes(appendBytes(nil, 2, []byte("Secret")), 1, []byte("v1"))
	list := appendBytes(nil, 2, appendBytes(nil, 2, entry))
	for name, answer := range map[string][]byte{
		"the kind first":           seal(kindFirst, appendBytes(nil, 2, entry)),
		"a kind and more":          seal(appendBytes(bytes.Clone(said), 9, []byte("x")), appendBytes(nil, 2, entry)),
		"two kinds":                seal(appendBytes(bytes.Clone(said), 2, []byte("Pod")), appendBytes(nil, 2, entry)),
		"no kind":                  seal(appendBytes(nil, 1, []byte("v1")), appendBytes(nil, 2, entry)),
		"a kind of another group":  seal(typeMetaOf("mirror.example.com/v1", "Secret"), appendBytes(nil, 2, entry)),
		"another version":          seal(typeMetaOf("v2", "Secret"), appendBytes(nil, 2, entry)),
		"an entry twice":           seal(said, appendBytes(appendBytes(nil, 2, twice), 4, twice)),
		"a field that is new":      seal(said, appendBytes(nil, 6, entry)),
		"a field that is no map":   seal(said, protowire.AppendFixed64(protowire.AppendTag(nil, 2, protowire.Fixed64Type), 7)),
		"a group":                  seal(said, group),
		"metadata twice":           seal(said, appendBytes(appendBytes(nil, 1, notes), 1, notes)),
		"metadata that is new":     seal(said, appendBytes(nil, 1, appendBytes(nil, 99, entry))),
		"a note that has two keys": seal(said, appendBytes(nil, 1, notes)),
		"a list for an object":     seal(typeMetaOf("v1", "SecretList"), list),
		"a release":                seal(typeMetaOf("v1", "ConfigMap"), release),
		"a release in a group":     seal(typeMetaOf("v1", "ConfigMap"), appendBytes(inGroup, 2, entry)),
		"a release after a group":  seal(typeMetaOf("v1", "ConfigMap"), appendBytes(appendBytes(nil, fieldMetadata, append(bytes.Clone(group), named...)), 2, entry)),
		"a release of two names":   seal(typeMetaOf("v1", "ConfigMap"), appendBytes(bytes.Clone(release), fieldMetadata, appendBytes(nil, fieldName, []byte("web")))),
		"a release with no name":   seal(typeMetaOf("v1", "ConfigMap"), appendBytes(bytes.Clone(release), fieldMetadata, nil)),
	} {
		frames := watchFrames(t, metav1.WatchEvent{Type: "BOOKMARK", Object: runtime.RawExtension{Raw: answer}})
		for _, a := range []struct {
			bytes []byte
			read  func(*unframer) error
			withhold
		}{{answer, (*unframer).objectProtobuf, withhold{}}, {answer, (*unframer).objectProtobuf, withhold{managedFields: true}}, {frames, (*unframer).watchProtobuf, withhold{}}} {
			events, err := collect(bytes.NewReader(a.bytes), a.read, a.withhold)
			if err != nil && !errors.Is(err, encoded.ErrMalformed) {
				t.Errorf("%s: %v", name, err)
			}
			for _, e := range events {
				if exposes(e.Payload, 4) {
					t.Errorf("%s: the value passed: %q", name, e.Payload)
				}
			}
		}
	}
	for _, kind := range []string{"List", "PodListList"} {
		if events, err := collect(bytes.NewReader(seal(typeMetaOf("v1", kind), list)), (*unframer).listProtobuf, withhold{}); !errors.Is(err, encoded.ErrMalformed) {
			t.Errorf("a %s in protobuf: %v %q", kind, err, events)
		}
	}
}

// hostile writes Secrets with the canary in every place except names.
type hostile struct {
	*rand.Rand
	key string // of a field and an annotation
}

func (h hostile) value() string { return forms[h.IntN(len(forms))](canary) }

// text returns a JSON string, sometimes with an unnecessary escape.
func (h hostile) text(s string) string {
	quoted := strconv.Quote(strings.ToValidUTF8(s, "?"))
	if plain, err := json.Marshal(s); err == nil {
		quoted = string(plain)
	}
	if len(s) == 0 || s[0] <= ' ' || s[0] >= 0x7f || h.IntN(4) > 0 {
		return quoted
	}
	if rest, plain := strings.CutPrefix(quoted, `"`+s[:1]); plain && s[0] != '"' && s[0] != '\\' {
		return fmt.Sprintf(`"\u%04x`, s[0]) + rest
	}
	return quoted
}

// object returns a JSON object with members in any order, some of them twice.
func (h hostile) object(members ...string) string {
	if h.IntN(4) == 0 {
		members = append(members, members[h.IntN(len(members))])
	}
	h.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, ",") + "}"
}

func (h hostile) member(key, value string) string { return h.text(key) + ":" + value }

func (h hostile) metadata() string {
	fields := h.object(
		h.member("f:data", h.object(h.member("f:password", "{}"), h.member("v:"+strconv.Quote(canary), "{}"), h.member("k:"+h.value(), "{}"))),
		h.member("f:type", h.text(h.value())))
	members := []string{
		h.member("name", `"s"`), h.member("namespace", `"a"`), h.member("labels", `{"app":"web"}`),
		h.member("annotations", h.object(h.member(releaseName, `"web"`), h.member(repeating[h.IntN(len(repeating))], h.text(h.value())), h.member(releaseName, h.text(h.value())), h.member("x"+h.key, h.text(h.value())))),
		h.member("managedFields", "["+h.object(h.member("manager", `"m"`), h.member("fieldsV1", fields), h.member("note", h.text(h.value())))+"]"),
	}
	if metadataRules.byName[h.key] == 0 {
		members = append(members, h.member(h.key, h.text(h.value())))
	}
	return h.object(members...)
}

// secret returns a Secret in JSON, with a kind unless its list has it.
func (h hostile) secret(kind bool) string {
	values := h.object(h.member("password", h.text(inBase64(canary))), h.member(h.key, h.text(h.value())))
	members := []string{h.member("metadata", h.metadata()), h.member("data", values), h.member("stringData", values), h.member("Data", values), h.member("type", `"Opaque"`)}
	if secretRules.byName[h.key] == 0 && h.key != "items" {
		members = append(members, h.member(h.key, values))
	}
	if kind {
		members = append(members, h.member("kind", `"Secret"`), h.member("apiVersion", `"v1"`))
	}
	return h.object(members...)
}

// protobuf returns a Secret in protobuf, with unknown fields.
func (h hostile) protobuf() []byte {
	entry := appendBytes(appendBytes(nil, 1, []byte("password")), 2, []byte(h.value()))
	note := appendBytes(appendBytes(nil, 1, []byte("x"+h.key)), 2, []byte(h.value()))
	var meta, msg []byte
	for range 1 + h.IntN(4) {
		meta = appendBytes(meta, 12, note)
		meta = appendBytes(meta, 18+h.IntN(100), []byte(h.value()))
	}
	for range 1 + h.IntN(4) {
		for _, number := range h.Perm(8) {
			switch number {
			case 1:
				msg = appendBytes(msg, 1, meta)
			case 3:
				msg = appendBytes(msg, 3, []byte("Opaque"))
			case 2, 4:
				msg = appendBytes(msg, number, entry)
			case 6, 7:
				msg = appendBytes(msg, number+h.IntN(100), []byte(h.value()))
			}
		}
	}
	return msg
}

// FuzzWithhold puts a canary in every place of a Secret except names, in any order, repeated and
// escaped, and checks that it passes in no form of an answer.
func FuzzWithhold(f *testing.F) {
	for i, key := range append([]string{"data", "Data", "spec", "type", "", "name", "\x00", "é", "v:x", "."}, repeating...) {
		f.Add(key, uint64(i), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, key string, seed uint64, managed bool) {
		h := hostile{rand.New(rand.NewPCG(seed, 7)), key}
		said, unsaid, packed := h.secret(true), h.secret(false), h.protobuf()
		list := appendBytes(appendBytes(nil, 1, nil), 2, packed)
		event := func(object string) string {
			return `{"type":"` + []string{"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"}[h.IntN(5)] + `","object":` + object + `}`
		}
		table := `{"kind":"Table","columnDefinitions":[{"name":"Name"}],"rows":[{"cells":["s"],"object":` + said + `}]}`
		frames := watchFrames(t, metav1.WatchEvent{Type: "MODIFIED", Object: runtime.RawExtension{Raw: seal(secretTypeMeta, packed)}})
		for name, a := range map[string]struct {
			answer []byte
			read   func(*unframer) error
		}{
			"get":            {[]byte(said), (*unframer).objectJSON},
			"watch":          {[]byte(event(said)), (*unframer).watchJSON},
			"list":           {[]byte(`{"kind":"SecretList","apiVersion":"v1","items":[` + unsaid + `]}`), (*unframer).listJSON},
			"list in a list": {[]byte(`{"kind":"List","items":[{"kind":"SecretList","apiVersion":"v1","items":[` + unsaid + `]}]}`), (*unframer).listJSON},
			"Table":          {[]byte(table), (*unframer).listJSON},
			"Table watch":    {[]byte(event(table)), (*unframer).watchJSON},
			"protobuf get":   {seal(secretTypeMeta, packed), (*unframer).objectProtobuf},
			"protobuf watch": {frames, (*unframer).watchProtobuf},
			"protobuf list":  {seal(typeMetaOf("v1", "SecretList"), list), (*unframer).listProtobuf},
		} {
			for _, w := range []withhold{{managedFields: managed}, {secret: true, managedFields: managed}} {
				events, err := collect(bytes.NewReader(a.answer), a.read, w)
				if err != nil && !errors.Is(err, encoded.ErrMalformed) {
					t.Fatalf("%s: %v", name, err)
				}
				for _, e := range events {
					if exposes(e.Payload, 4) {
						t.Fatalf("%s: the value passed: %q", name, e.Payload)
					}
				}
			}
		}
	})
}

var secretTypeMeta = typeMetaOf("v1", "Secret")
