package recording

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"

	"watchglass/internal/history"
	"watchglass/internal/object"
)

// Choices are what to leave out of a file, and what to replace. A name, an image or a host has the same
// replacement everywhere in a file, and another one in the next file. Replacements are random, and nothing
// leads back from them.
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
	// Logs are the LogIDs of the logs in the file. By default there are none.
	Logs []string `json:"logs,omitempty"`
}

// classes are what kinds of names a text may be.
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

// altered describes what is left out or replaced.
func (c *Choices) altered() (all []string) {
	add := func(is bool, words string) {
		if is {
			all = append(all, words)
		}
	}
	add(len(c.Kinds) > 0, "some kinds left out")
	add(len(c.Namespaces) > 0, "some namespaces left out")
	add(c.HideNamespaces, "names of namespaces replaced")
	add(c.HideObjects, "names of objects replaced")
	add(c.HideNodes, "names of nodes replaced")
	add(c.HideAnnotations, "annotations left out")
	add(c.HideValues, "environment values replaced")
	add(c.HideImages, "images replaced")
	add(c.HideHosts, "hosts and IP addresses replaced")
	add(len(c.Logs) == 0, "logs left out")
	add(len(c.Logs) > 0, "logs left out except for chosen containers")
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

// redactor leaves out and replaces what Choices says.
type redactor struct {
	Choices
	hide     classes
	rewrites bool // payloads must be rewritten
	collect  bool // only collect names and values
	known    map[string]classes
	words    map[string]string // replacements by the original text
	used     map[string]bool   // replacements in use
	values   map[string]bool   // of variables and ConfigMaps, to be replaced in log lines
	whole    map[string]bool   // values replaced only as whole words
	inside   *strings.Replacer // replaces the other values; nil until needed
	kind     string            // of the current objects
	secret   bool              // the current objects are Secrets
	leaked   bool              // the current object is a Secret with a value
	payloads *object.Rewriter
}

func newRedactor(c Choices) *redactor {
	r := &redactor{Choices: c, hide: c.hidden(), known: make(map[string]classes), words: make(map[string]string), used: make(map[string]bool), values: make(map[string]bool)}
	r.rewrites = r.hide != 0 || c.HideAnnotations || c.HideValues
	r.payloads = object.NewRewriter(r.decide)
	return r
}

// keptAnnotations are annotations shown in kubectl's columns or an object's details.
var keptAnnotations = []string{"deployment.kubernetes.io/revision", "storageclass.kubernetes.io/is-default-class", "ingressclass.kubernetes.io/is-default-class", "batch.kubernetes.io/job-completion-index", "kubernetes.io/config.mirror"}

// structural are members whose values have a meaning in the API, and are not names that users choose.
var structural = []string{"apiVersion", "kind", "uid", "resourceVersion", "apiGroup", "apiGroups", "resources", "verbs", "type", "protocol", "phase", "reason", "status", "operator", "effect", "fieldPath", "imagePullPolicy", "restartPolicy"}

// hostMembers are members that contain hosts or addresses.
var hostMembers = []string{"host", "hosts", "hostname", "hostnames", "ip", "podIP", "hostIP", "address", "addresses", "clusterIP", "clusterIPs", "externalIPs", "loadBalancerIP", "externalName", "podCIDR", "podCIDRs", "server", "url", "loadBalancerSourceRanges", "cidr", "cidrs"}

// nameMembers are members that contain names of objects.
var nameMembers = []string{"claimName", "serviceAccountName", "serviceAccount", "secretName", "volumeName", "generateName", "persistentVolumeName", "serviceName", "container", "containerName"}

// namedParents are members whose "name" is the name of an object or a container.
var namedParents = []string{"metadata", "ownerReferences", "involvedObject", "regarding", "related", "subjects", "imagePullSecrets", "secret", "configMap", "service", "containers", "initContainers", "ephemeralContainers", "containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses", "volumesAttached", "secrets"}

// edit is an object.Edit.
func (r *redactor) edit(path []string, text string) (string, bool) {
	if len(path) == 0 || text == "" {
		return text, true
	}
	last, parent := path[len(path)-1], ""
	if len(path) > 1 {
		parent = path[len(path)-2]
	}
	switch {
	case parent == "annotations":
		return r.annotation(last, text)
	case parent == "env" && last == "value", r.kind == "ConfigMap" && (path[0] == "data" || path[0] == "binaryData"):
		if r.HideValues && !r.collect {
			return "value-" + r.word(text), true
		}
		r.noteValue(text)
	case parent == "labels", parent == "matchLabels", parent == "selector", parent == "nodeSelector":
		return r.label(last, text), true
	case last == "values" && parent == "matchExpressions":
		return r.label("", text), true
	case slices.Contains(structural, last):
		return text, true
	}
	if of := classOf(r.kind, path, last, parent); of != 0 {
		return r.name(of, text), true
	}
	return r.text(text, last == "cells"), true
}

// classOf returns the class of names that the text of a member belongs to; 0 if it is not known to be a
// name.
func classOf(kind string, path []string, last, parent string) classes {
	switch {
	case last == "image", last == "imageID", last == "names" && parent == "images":
		return imageName
	case last == "nodeName", last == "host" && parent == "source", kind == "Node" && last == "name" && parent == "metadata":
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

// annotation edits an annotation. It leaves out annotations that repeat objects in JSON, which could
// contain anything that is to be hidden.
func (r *redactor) annotation(name, text string) (string, bool) {
	if r.HideAnnotations {
		return text, slices.Contains(keptAnnotations, name)
	}
	if r.collect {
		return text, true
	}
	if repeats := text[0] == '{' || text[0] == '['; repeats && r.rewrites {
		return "", false
	}
	return r.text(text, false), true
}

// label edits the value of a label, which usually contains part of a name.
func (r *redactor) label(key, text string) string {
	domain, _, _ := strings.Cut(key, "/")
	ours := strings.HasSuffix(domain, "kubernetes.io") || strings.HasSuffix(domain, "k8s.io")
	if !r.HideObjects || ours && domain != "app.kubernetes.io" || text == "true" || text == "false" {
		return r.text(text, false)
	}
	if r.collect {
		return text
	}
	return r.segments(text)
}

// name replaces a name, if names of its class are hidden.
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
	case of&hostName != 0 && r.HideHosts && of&r.hide&(nodeName|objectName) == 0:
		return r.host(text)
	}
	return r.segments(text)
}

// note remembers that a text is a name.
func (r *redactor) note(of classes, text string) {
	if of&r.hide == 0 || len(text) > longestName {
		return
	}
	r.known[text] |= of
	if first, _, dotted := strings.Cut(text, "."); dotted && of&(objectName|nodeName) != 0 {
		r.known[first] |= of
	}
}

// longestName is longer than any name of an object or an image.
const longestName = 512

// text replaces the names in a text. In the cell of a Table, it replaces everything that looks like a
// host or an image, since its meaning is unknown.
func (r *redactor) text(text string, cell bool) string {
	if r.collect || r.hide == 0 {
		return text
	}
	var out []byte
	done := 0
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && inWord(text[end]) {
			end++
		}
		if end == i {
			i++
			continue
		}
		if r.HideHosts && strings.Contains(text[i:end], "://") {
			end = urlEnd(text, end)
		}
		word := strings.TrimRight(text[i:end], ".:/,;')]}")
		if now := r.run(word, cell); now != word {
			out = append(append(out, text[done:i]...), now...)
			done = i + len(word)
		}
		i = end
	}
	if done == 0 {
		return text
	}
	return string(append(out, text[done:]...))
}

// inWord reports whether a byte may be part of a name, an image or a host.
func inWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._/:@", c) >= 0
}

// urlEnd returns the end of the URL that continues at from. Its user, password and query are replaced
// with its host, and may contain nearly any byte.
func urlEnd(text string, from int) int {
	if n := strings.IndexAny(text[from:], " \t\r\n\"<>`"); n >= 0 {
		return from + n
	}
	return len(text)
}

// run replaces a word without spaces.
func (r *redactor) run(word string, cell bool) string {
	of := r.known[word]
	looksDotted := strings.IndexByte(word, '.') > 0 && strings.ContainsAny(word, "abcdefghijklmnopqrstuvwxyz")
	switch {
	case r.HideImages && (of&imageName != 0 || cell && looksDotted && strings.IndexByte(word, '/') > 0):
		return "image-" + r.word(word)
	case of&r.hide&(namespaceName|objectName|nodeName) != 0:
		return r.segments(word)
	case r.HideHosts && (of&hostName != 0 || isAddress(word) || cell && looksDotted || strings.Contains(word, "://")):
		return r.host(word)
	case !r.names():
		return word
	}
	// "web-7d9f-x" and "web.prod.svc" have the names "web" and "prod" in them.
	var out []byte
	for rest := word; rest != ""; {
		at := strings.IndexAny(rest, "./:@_")
		if at < 0 {
			at = len(rest)
		}
		part := rest[:at]
		if r.derived(part) {
			part = r.segments(part)
		}
		out = append(out, part...)
		if at < len(rest) {
			out = append(out, rest[at])
			at++
		}
		rest = rest[at:]
	}
	return string(out)
}

// derived reports whether a word is a hidden name, or one followed by a hyphen and more.
func (r *redactor) derived(word string) bool {
	for end := len(word); end > 0; end = strings.LastIndexByte(word[:end], '-') {
		if r.known[word[:end]]&r.hide&(namespaceName|objectName|nodeName) != 0 {
			return true
		}
	}
	return false
}

// isAddress reports whether a word is an IP address, with or without a port or a prefix length.
func isAddress(word string) bool {
	if len(word) < 3 || strings.IndexByte(word, '.') < 0 && strings.IndexByte(word, ':') < 0 {
		return false
	}
	word, _, _ = strings.Cut(word, "/")
	if _, err := netip.ParseAddr(word); err == nil {
		return true
	}
	_, err := netip.ParseAddrPort(word)
	return err == nil
}

// host replaces a host or an address, with everything after it, such as a port, except a prefix length.
func (r *redactor) host(text string) string {
	if !isAddress(text) {
		if plain(text) {
			return text
		}
		return "host-" + r.word(text)
	}
	addr, prefix, sliced := strings.Cut(text, "/")
	if sliced {
		prefix = "/" + prefix
	}
	word := r.word("\x00" + addr) // 198.18.0.0/15 and 2001:db8::/32 are reserved
	n := 0
	for i := range len(word) {
		n = n*26 + int(word[i]-'a')
	}
	if strings.Count(addr, ":") > 1 {
		return "2001:db8::" + hex16(n>>16) + ":" + hex16(n) + prefix
	}
	return "198." + digits(18+n>>16&1) + "." + digits(n>>8&255) + "." + digits(n&255) + prefix
}

func digits(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return digits(n/10) + digits(n%10)
}

func hex16(n int) string {
	const hexDigits = "0123456789abcdef"
	return string([]byte{hexDigits[n>>12&15], hexDigits[n>>8&15], hexDigits[n>>4&15], hexDigits[n&15]})
}

// plain reports whether a text has nothing worth replacing.
func plain(text string) bool {
	return strings.IndexFunc(text, func(c rune) bool { return c != '*' && c != '-' && (c < '0' || c > '9') }) < 0 || text == "None" || text == "localhost"
}

// public are parts of names that occur in every cluster.
var public = []string{"default", "kube", "kubernetes", "system", "public", "serviceaccount", "serviceaccounts", "svc", "cluster", "local", "com", "io", "k8s", "crt", "root", "ca", "lease"}

// segments replaces each part of a name, so that pods' names still begin with their owners'. Short
// numbers and public parts are kept.
func (r *redactor) segments(name string) string {
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
		segment := name[i:end]
		if i = end; !slices.Contains(public, segment) && (len(segment) > 3 || !plain(segment)) {
			segment = r.word(segment)
		}
		out = append(out, segment...)
	}
	return string(out)
}

func isLetterOrDigit(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

// word returns the replacement of a text in this file. It is random, so nothing leads back to the text.
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

// payload redacts a payload of a stream. It returns nil if the payload can't be read, or has values of a
// Secret, which must never be in a file.
func (r *redactor) payload(s history.Stream, last object.Rewritten, payload []byte) []byte {
	if payload == nil {
		return nil
	}
	k := object.Kind{Group: s.Group, Version: s.Version, Resource: s.Resource, Name: s.Kind}
	r.kind, r.secret, r.leaked = s.Kind, s.Resource == "secrets" || s.Kind == "Secret", false
	if !r.secret && !r.rewrites {
		return payload
	}
	out, err := r.payloads.Rewrite(k, last, payload)
	if err != nil || r.leaked {
		return nil
	}
	return out
}

// decide edits a text of a payload, and sets leaked if it is a value of a Secret.
func (r *redactor) decide(path []string, text string) (string, bool) {
	if r.secret && text != "" && len(path) > 1 && (path[0] == "data" || path[0] == "stringData") {
		r.leaked = true
	}
	return r.edit(path, text)
}
