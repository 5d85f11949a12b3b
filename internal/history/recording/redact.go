package recording

import (
	"math/rand/v2"
	"slices"
	"strings"

	"watchglass/internal/history"
	"watchglass/internal/object"
	"watchglass/internal/object/rewrite"
)

// Choices are what is left out of a file, and what is replaced. A name, an image or a host is
// replaced by the same one everywhere in a file, and by another in the next file: replacements are random, and
// nothing that leads back is kept.
type Choices struct {
	Kinds      []string `json:"kinds,omitempty"`      // left out, as addresses name them
	Namespaces []string `json:"namespaces,omitempty"` // left out
	// Names that are replaced.
	HideNamespaces bool `json:"hideNamespaces,omitempty"`
	HideObjects    bool `json:"hideObjects,omitempty"` // and containers, and the values of labels
	HideNodes      bool `json:"hideNodes,omitempty"`
	// Fields that are left out or replaced.
	HideAnnotations bool `json:"hideAnnotations,omitempty"`
	HideValues      bool `json:"hideValues,omitempty"` // of environment variables and ConfigMaps
	HideImages      bool `json:"hideImages,omitempty"`
	HideHosts       bool `json:"hideHosts,omitempty"` // and IP addresses
	// Logs are those in the file, by their LogID. None is there unless it is named.
	Logs []string `json:"logs,omitempty"`
}

// classes are what a text may be the name of.
type classes uint8

const (
	namespaceName classes = 1 << iota
	objectName
	nodeName
	imageName
	hostName
)

// hidden returns the classes that are replaced.
func (c *Choices) hidden() (all classes) {
	for of, hide := range map[classes]bool{namespaceName: c.HideNamespaces, objectName: c.HideObjects, nodeName: c.HideNodes, imageName: c.HideImages, hostName: c.HideHosts} {
		if hide {
			all |= of
		}
	}
	return all
}

// names reports whether names are replaced.
func (c *Choices) names() bool { return c.HideNamespaces || c.HideObjects || c.HideNodes }

// altered says what is left out or replaced.
func (c *Choices) altered() (all []string) {
	add := func(is bool, words string) {
		if is {
			all = append(all, words)
		}
	}
	add(len(c.Kinds) > 0, "some kinds left out")
	add(len(c.Namespaces) > 0, namespacesOut)
	add(c.HideNamespaces, "names of namespaces replaced")
	add(c.HideObjects, "names of objects replaced")
	add(c.HideNodes, "names of nodes replaced")
	add(c.HideAnnotations, "annotations left out")
	add(c.HideValues, "environment values replaced")
	add(c.HideImages, "images replaced")
	add(c.HideHosts, "hosts and IP addresses replaced")
	add(len(c.Logs) == 0, logsOut)
	add(len(c.Logs) > 0, mostLogsOut)
	return all
}

// keeps reports whether a stream is in the file.
func (c *Choices) keeps(s history.Stream) bool {
	return !slices.Contains(c.Kinds, kindID(s)) && (s.Namespace == "" || !slices.Contains(c.Namespaces, s.Namespace))
}

// keepsObject reports whether an object of a stream is in the file.
func (c *Choices) keepsObject(s history.Stream, key string) bool {
	if len(c.Namespaces) == 0 {
		return true
	}
	namespace, _, ok := strings.Cut(key, "/")
	return !slices.Contains(c.Namespaces, namespace) || !ok && s.Resource != "namespaces"
}

// kindID returns the kind of a stream, as addresses name it.
func kindID(s history.Stream) string {
	return object.Kind{Group: s.Group, Resource: s.Resource}.ID()
}

// redactor replaces what was chosen.
type redactor struct {
	Choices
	hide     classes
	rewrites bool // payloads have to be rewritten
	collect  bool // only note what the names are
	// The kind that a reference was to, and the path of that reference.
	referred, referredBy string
	known                map[string]classes
	hyphens              map[string]int      // the most in a name that is known, by what is before the first
	images               map[string]bool     // those that are known, by their bare names
	words                map[string]string   // by what they replace
	used                 map[string]bool     // words
	values               map[string]matching // of variables and ConfigMaps, to be found in log lines
	whole                map[string]bool     // those that are replaced only as whole words
	inside               *strings.Replacer   // replaces the others; nil until a line needs it
	long                 *strings.Replacer   // replaces those of variables in any text
	kind                 object.Kind         // of the objects
	secret               bool                // they are Secrets
	custom               bool                // they are of a kind that is not built in
	leaked               bool                // the one that is rewritten has a value
	payloads             *rewrite.Rewriter
}

func newRedactor(c Choices) *redactor {
	r := &redactor{Choices: c, hide: c.hidden(), known: make(map[string]classes), hyphens: make(map[string]int), images: make(map[string]bool), words: make(map[string]string), used: make(map[string]bool), values: make(map[string]matching)}
	r.rewrites = r.hide != 0 || c.HideAnnotations || c.HideValues
	r.payloads = rewrite.New(r.decide)
	return r
}

// keptAnnotations are those that kubectl's columns, the details of an object and its timeline show.
var keptAnnotations = []string{"deployment.kubernetes.io/revision", "storageclass.kubernetes.io/is-default-class", "ingressclass.kubernetes.io/is-default-class", "batch.kubernetes.io/job-completion-index", "kubernetes.io/config.mirror", "kubectl.kubernetes.io/restartedAt"}

// edit is an object.Edit.
func (r *redactor) edit(path []string, text string) (string, bool) {
	if len(path) == 0 || text == "" {
		return text, true
	}
	last, parent := path[len(path)-1], ""
	if len(path) > 1 {
		parent = path[len(path)-2]
	}
	variable := inEnvironment(path)
	switch {
	case parent == "annotations":
		return r.annotation(last, text)
	case variable, r.kind.Name == "ConfigMap" && (path[0] == "data" || path[0] == "binaryData"):
		if r.HideValues && !r.collect {
			return "value-" + r.word(text), true
		}
		if variable || len(r.Logs) > 0 { // whole files would take long to find in each message
			r.noteValue(text, variable)
		}
	case strings.IndexByte(text, '=') > 0 && isEnvironment(last):
		text = r.assignments(text)
	case r.hide == 0 && (r.collect || len(text) < shortestInside && !r.custom && !slices.Contains(messages, last)): // no name is replaced, nor collected
		return text, true
	case parent == "labels", parent == "matchLabels", parent == "selector", parent == "nodeSelector":
		return r.label(last, text), true
	case last == "values" && parent == "matchExpressions":
		return r.label("", text), true
	case slices.Contains(structural, last) && strings.IndexByte(text, ' ') < 0: // some fields of these names have messages
		r.refer(path, text)
		if slices.Contains(identifying, last) || isConstant(text) || !r.custom && slices.Contains(ofRules, last) {
			return text, true
		}
		return r.withoutVariables(text), true
	}
	r.noteReferred(path, text)
	return r.inPlace(path, last, parent, text), true
}

// inPlace edits a text that is no value of a variable. Names stay what they are, unless they are replaced: a value
// that is the same as a name would otherwise cut what refers to the name off from it.
func (r *redactor) inPlace(path []string, last, parent, text string) string {
	switch of := classOf(r.kind.Name, path, last, parent); {
	case of == hostName && (!r.HideHosts || plain(text)) && !isAddress(text):
		return r.name(of, r.withoutVariables(text))
	case of != 0:
		return r.name(of, text)
	case r.custom || slices.Contains(messages, last):
		if !hasConstant(last) || !isConstant(text) {
			text = r.withoutLongValues(text)
		}
	case !isName(last) && !(hasConstant(last) && isConstant(text)):
		text = r.withoutVariables(text)
	}
	return r.text(text, last == "cells")
}

// assignments edits lines that set variables: "PASSWORD=hunter2".
func (r *redactor) assignments(text string) string {
	var out []byte
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(line, "=")
		body := strings.TrimRight(value, "\r\n")
		if r.noteValue(body, true); r.HideValues && !r.collect && body != "" {
			line = name + "=value-" + r.word(body) + value[len(body):]
		}
		out = append(out, line...)
	}
	return string(out)
}

// refer notes which kind a reference is to. The kind is before the name in both encodings.
func (r *redactor) refer(path []string, text string) {
	if r.collect && path[len(path)-1] == "kind" {
		r.referred, r.referredBy = text, strings.Join(path[:len(path)-1], ".")
	}
}

// noteReferred notes the name of a reference to a node or a namespace, which may be nowhere else.
func (r *redactor) noteReferred(path []string, text string) {
	if !r.collect || path[len(path)-1] != "name" || r.referred != "Node" && r.referred != "Namespace" || strings.Join(path[:len(path)-1], ".") != r.referredBy {
		return
	}
	r.note(map[string]classes{"Node": nodeName, "Namespace": namespaceName}[r.referred], text)
}

// classOf returns what the text of a member is the name of; 0 if it is not known to be one.
func classOf(kind string, path []string, last, parent string) classes {
	switch {
	case last == "image", last == "imageID", last == "imageRef", last == "reference" && parent == "image", last == "names" && parent == "images":
		return imageName
	case last == "nodeName", last == "nominatedNodeName", last == "values" && parent == "matchFields", last == "host" && parent == "source", kind == "Node" && last == "name" && parent == "metadata":
		return nodeName
	case last == "namespace", last == "namespaces", kind == "Namespace" && last == "name" && parent == "metadata":
		return namespaceName
	case slices.Contains(hostMembers, last):
		return hostName
	case slices.Contains(nameMembers, last), last == "name" && (strings.HasSuffix(parent, "Ref") || slices.Contains(namedParents, parent)):
		return objectName
	}
	return 0
}

// annotation edits an annotation. One that repeats objects in JSON could have anything that was
// chosen.
func (r *redactor) annotation(name, text string) (string, bool) {
	if r.HideAnnotations {
		return r.withoutVariables(text), slices.Contains(keptAnnotations, name)
	}
	if r.collect {
		return text, true
	}
	if r.rewrites && repeatsObjects(text) {
		return "", false
	}
	return r.text(r.withoutLongValues(text), false), true
}

// encoded begins JSON in base64, and gzip in base64.
var encoded = []string{"eyJ", "ewo", "W3s", "H4sI"}

// repeatsObjects reports whether an annotation may have objects: in JSON, also as a text, in YAML, or
// compressed.
func repeatsObjects(text string) bool {
	text = strings.TrimSpace(text)
	if text == "" {
		return false
	}
	begins := func(with string) bool { return strings.HasPrefix(text, with) }
	return strings.IndexByte(`{["`, text[0]) >= 0 || slices.ContainsFunc(encoded, begins) || strings.Contains(text, "\n") && strings.Contains(text, ":")
}

// label edits the value of a label, which mostly has a part of a name. Those of Kubernetes are names of objects and
// nodes, by which it finds them.
func (r *redactor) label(key, text string) string {
	domain, _, _ := strings.Cut(key, "/")
	ours := domain != "app.kubernetes.io" && (strings.HasSuffix(domain, "kubernetes.io") || strings.HasSuffix(domain, "k8s.io"))
	switch {
	case ours, slices.Contains(namedByLabel, key) && !r.HideObjects:
	case !r.HideObjects || text == "true" || text == "false":
		text = r.withoutVariables(text)
	case r.collect:
		return text
	default:
		return r.segments(text)
	}
	return r.text(text, false)
}

// name replaces a text that is a name, if those of its class are replaced.
func (r *redactor) name(of classes, text string) string {
	if r.collect {
		r.note(of, text)
		return text
	}
	if of |= r.known[text]; of&r.hide == 0 {
		return r.text(text, false)
	}
	switch {
	case of&imageName != 0 && r.HideImages:
		return "image-" + r.word(text)
	case isAddress(text), of&hostName != 0 && r.HideHosts && of&r.hide&(nodeName|objectName) == 0:
		return r.host(text)
	}
	return r.segments(text)
}

// note remembers that a text is a name.
func (r *redactor) note(of classes, text string) {
	if of&r.hide == 0 || len(text) < 2 || len(text) > longestName { // "a" is a word
		return
	}
	r.known[text] |= of
	begin, _, _ := strings.Cut(text, "-")
	r.hyphens[begin] = max(r.hyphens[begin], strings.Count(text, "-"))
	switch of {
	case imageName:
		r.images[bareImage(text)] = true
	case hostName:
		r.known[strings.TrimPrefix(text, "*.")] |= of
	}
	if first, _, dotted := strings.Cut(text, "."); dotted && of&(objectName|nodeName) != 0 && !isVersion(first) {
		r.note(of, first)
	}
}

// isVersion reports whether a text is a version of an API, which the name of an APIService begins with, and those
// of other programs do: "v1", "v2beta1".
func isVersion(text string) bool {
	rest, ok := strings.CutPrefix(text, "v")
	return ok && rest != "" && rest[0] >= '0' && rest[0] <= '9' && strings.Trim(rest, "0123456789abehlpt") == ""
}

// public are parts of names that every cluster has.
var public = []string{"default", "kube", "kubernetes", "system", "public", "serviceaccount", "serviceaccounts", "svc", "cluster", "local", "com", "io", "k8s", "crt", "root", "ca", "lease"}

// helmRelease begins the name of a Secret that has a revision of a Helm release; its number is at the end.
const helmRelease = "sh.helm.release.v1."

// segments replaces each part of a name, so that the names that are made from others still are: those of
// pods from those of their owners. Short numbers stay, and what every cluster has.
func (r *redactor) segments(name string) string {
	if release, ok := strings.CutPrefix(name, helmRelease); ok {
		if at := strings.LastIndex(release, "."); at > 0 && isVersion(release[at+1:]) {
			return helmRelease + r.segments(release[:at]) + release[at:]
		}
	}
	var out []byte
	for i := 0; i < len(name); {
		end := i
		for end < len(name) && isLetterOrDigit(name[end]) {
			end++
		}
		if end == i {
			out = append(out, name[i])
			i++
			continue
		}
		if n := addressIn(name[i:]); n > 0 {
			out, i = append(out, r.word(name[i:i+n])...), i+n
			continue
		}
		segment := name[i:end]
		if i = end; !slices.Contains(public, segment) && (len(segment) > 3 || !plain(segment)) {
			segment = r.word(segment)
		}
		out = append(out, segment...)
	}
	return string(out)
}

// addressIn returns the length of the IP address that a part of a name begins with, as clouds name nodes:
// "10-0-0-1". It is 0 if there is none.
func addressIn(part string) int {
	end := 0
	for n := range 4 {
		begin := end
		for end < len(part) && part[end] >= '0' && part[end] <= '9' {
			end++
		}
		switch last := n == 3; {
		case end == begin, end-begin > 3, last && end < len(part) && isLetterOrDigit(part[end]):
			return 0
		case last:
			return end
		case end == len(part), part[end] != '-' && part[end] != '.':
			return 0
		}
		end++
	}
	return 0
}

func isLetterOrDigit(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

// word returns the word that replaces a text in this file. It is random, so nothing leads back to the
// text.
func (r *redactor) word(text string) string {
	if w, ok := r.words[text]; ok {
		return w
	}
	const consonants, vowels = "bdfghjklmnprstvz", "aeiou"
	for syllables := 3; ; syllables++ {
		for range 8 {
			w := make([]byte, 0, 2*syllables)
			for range syllables {
				w = append(w, consonants[rand.IntN(len(consonants))], vowels[rand.IntN(len(vowels))])
			}
			if word := string(w); !r.used[word] {
				r.words[text], r.used[word] = word, true
				return word
			}
		}
	}
}

// key replaces the key of an object.
func (r *redactor) key(s history.Stream, key string) string {
	of := objectName
	switch {
	case s.Group == "" && s.Resource == "nodes":
		of = nodeName
	case s.Group == "" && s.Resource == "namespaces":
		of = namespaceName
	}
	namespace, name, ok := strings.Cut(key, "/")
	if !ok {
		return r.name(of, key)
	}
	return r.name(namespaceName, namespace) + "/" + r.name(of, name)
}

// payload redacts a payload of a stream; nil if it can't be read, or has what must never be in a file: the
// values of a Secret. The result is in the memory of into, if that is large enough.
func (r *redactor) payload(into []byte, s history.Stream, last rewrite.Result, payload []byte) []byte {
	if payload == nil {
		return nil
	}
	r.referred, r.referredBy, r.leaked = "", "", false
	if k := &r.kind; k.Name != s.Kind || k.Resource != s.Resource || k.Group != s.Group || k.Version != s.Version {
		*k = kindOf(s)
		r.custom, r.secret = !k.Native(), s.Resource == "secrets" || s.Kind == "Secret"
	}
	if !r.secret && !r.rewrites {
		return payload
	}
	out, err := r.payloads.Rewrite(into[:0], r.kind, last, payload)
	if err != nil || r.leaked {
		return nil
	}
	return out
}

// decide edits a text of a payload. It notes the values of a Secret.
func (r *redactor) decide(path []string, text string) (string, bool) {
	if r.secret && text != "" && len(path) > 1 && (path[0] == "data" || path[0] == "stringData") {
		r.leaked = true
	}
	return r.edit(path, text)
}
