package detail

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"watchglass/internal/document"
	"watchglass/internal/object"
)

// metricNames maps each kind of metric to its field and its description.
var metricNames = []struct{ kind, field, text string }{
	{"Resource", "resource", "resource {name} on pods"},
	{"ContainerResource", "containerResource", "resource {name} of container {container} on pods"},
	{"Pods", "pods", "{metric.name} on pods"},
	{"Object", "object", "{metric.name} on {describedObject:object}"},
	{"External", "external", "{metric.name} {metric.selector:selector none}"},
}

// metrics writes the current and target values of an autoscaler's metrics.
func metrics(w *writer, v document.Value) {
	t := Table{Title: "Metrics", Columns: []Column{{Name: "Metric"}, {Name: "Current", Right: true}, {Name: "Target", Right: true}}}
	current := w.measured(v.ListAt("status.currentMetrics"))
	for _, m := range v.ListAt("spec.metrics") {
		for _, kind := range metricNames {
			if kind.kind != m.TextAt("type") {
				continue
			}
			source := m.Get(kind.field)
			name := w.fill(kind.text, source)
			how, text := measure(kind.kind, source)
			now := current[kind.kind+" "+textOf(name)]
			is := w.fill(text, now)
			if len(is) == 0 {
				is = []Line{Line{}.look(Quiet, "<unknown>")}
			}
			text, _, _ = strings.Cut(text, " (")
			t.Rows = append(t.Rows, []Line{join(name, "").look(Quiet, how), join(is, ""), join(w.fill(text, source.Get("target")), "")})
		}
	}
	w.addTable(t)
}

// measured returns the current values of metrics by kind and description. The controller may have seen other metrics
// than those of now, in another order.
func (w *writer) measured(current []document.Value) map[string]document.Value {
	values := make(map[string]document.Value, len(current))
	for _, m := range current {
		for _, kind := range metricNames {
			if source := m.Get(kind.field); kind.kind == m.TextAt("type") {
				values[kind.kind+" "+textOf(w.fill(kind.text, source))] = source.Get("current")
			}
		}
	}
	return values
}

// textOf returns the text of lines.
func textOf(lines []Line) (text string) {
	for _, p := range join(lines, "") {
		text += p.Text
	}
	return text
}

// measure returns how a metric is measured, and the text to show its value.
func measure(kind string, source document.Value) (how, text string) {
	resource := source.Get("name").Exists()
	switch {
	case source.Get("target.averageValue").Exists():
		if resource || kind == "Pods" {
			return "", "{averageValue}"
		}
		return " (target average value)", "{averageValue}"
	case resource:
		return " (as a percentage of request)", "{averageUtilization}% ({averageValue})"
	}
	return " (target value)", "{value}"
}

// behavior writes how fast an autoscaler scales.
func behavior(w *writer, v document.Value) {
	for _, way := range []struct{ title, path string }{{"Scale up", "scaleUp"}, {"Scale down", "scaleDown"}} {
		rules := v.At(way.path)
		if !rules.Exists() {
			continue
		}
		w.inner(way.title, func(w *writer) {
			w.run(`Stabilization window: {stabilizationWindowSeconds} seconds
Tolerance: {tolerance}
Select policy: {selectPolicy?Max}
|Policies@policies|Type {type}|>Value {value}|>Period {periodSeconds} seconds
`, rules)
		})
	}
}

// duration shows a number of seconds, formatted like an age.
func (w *writer) duration(v document.Value, _ string) []Line {
	n := v.Int()
	if !v.Exists() {
		return nil
	}
	cell := object.Cell{Kind: object.SpanCell, At: 1, End: 1 + n}
	return one(Piece{Text: string(cell.Append(nil, time.Time{}))})
}

// request shows the state of a certificate signing request.
func (w *writer) request(v document.Value, _ string) []Line {
	has := make(map[string]bool)
	for _, c := range v.ListAt("status.conditions") {
		has[c.TextAt("type")] = true
	}
	text, look := "Pending", Pending
	switch {
	case has["Denied"]:
		text, look = "Denied", Failed
	case has["Approved"]:
		text, look = "Approved", OK
	}
	if has["Failed"] {
		text, look = text+",Failed", Failed
	}
	if v.TextAt("status.certificate") != "" {
		text += ",Issued"
	}
	return one(Piece{Text: text, Look: look})
}

// certificate writes the subject of a certificate signing request.
func certificate(w *writer, v document.Value) {
	doc, err := base64.StdEncoding.DecodeString(v.Text())
	if err != nil {
		return
	}
	_, text, _ := strings.Cut(string(doc), "-----BEGIN CERTIFICATE REQUEST-----")
	text, _, _ = strings.Cut(text, "-----END")
	doc, _ = base64.StdEncoding.DecodeString(text) // DecodeString skips line breaks
	w.section("Subject")
	for _, name := range namesOf(doc) {
		w.row(name.name, Line{}.look(Code, name.text))
	}
}

// namedText is one of the names in a request: "Common name", "DNS names" …
type namedText struct{ name, text string }

// objectIDs are the attributes of a subject, by the last byte of their identifier.
var objectIDs = map[byte]string{3: "Common name", 5: "Serial number", 6: "Country", 7: "Locality", 8: "Province", 9: "Street address", 10: "Organization", 11: "Organizational unit", 17: "Postal code"}

// alternatives are the kinds of alternative names, by their tags.
var alternatives = map[byte]string{0x81: "Email addresses", 0x82: "DNS names", 0x86: "URIs", 0x87: "IP addresses"}

// der is a DER element: its tag and contents.
type der struct {
	tag  byte
	body []byte
}

// elements returns the elements in a body, up to the first malformed one.
func elements(body []byte) []der {
	var out []der
	for len(body) >= 2 && len(out) < mostLines {
		tag, n, head := body[0], int(body[1]), 2
		if n >= 0x80 {
			more := n & 0x7f
			if more > 3 || len(body) < 2+more {
				return out
			}
			n = 0
			for _, b := range body[2 : 2+more] {
				n = n<<8 | int(b)
			}
			head += more
		}
		if n > len(body)-head {
			return out
		}
		out = append(out, der{tag, body[head : head+n]})
		body = body[head+n:]
	}
	return out
}

// inside returns the i-th element in a body.
func inside(body []byte, i int) der {
	all := elements(body)
	if i >= len(all) {
		return der{}
	}
	return all[i]
}

// namesOf returns the names in a PKCS #10 request: those of the subject, and the alternative
// names in its extensions. It parses the request itself, since crypto/x509 would take more
// space than all summaries.
func namesOf(doc []byte) []namedText {
	info := inside(inside(doc, 0).body, 0).body
	var out []namedText
	for _, set := range elements(inside(info, 1).body) {
		for _, pair := range elements(set.body) {
			id, text := inside(pair.body, 0).body, inside(pair.body, 1).body
			if len(id) == 3 && id[0] == 0x55 && id[1] == 4 && objectIDs[id[2]] != "" {
				out = append(out, namedText{objectIDs[id[2]], string(text)})
			}
		}
	}
	for _, attribute := range elements(inside(info, 3).body) {
		for _, extensions := range elements(inside(attribute.body, 1).body) {
			for _, e := range elements(extensions.body) {
				all := elements(e.body)
				if len(all) < 2 || string(all[0].body) != "\x55\x1d\x11" {
					continue
				}
				for _, name := range elements(inside(all[len(all)-1].body, 0).body) {
					if kind := alternatives[name.tag]; kind != "" {
						out = append(out, namedText{kind, alternative(name)})
					}
				}
			}
		}
	}
	return out
}

func alternative(name der) string {
	if name.tag != 0x87 {
		return string(name.body)
	}
	return addressText(name.body)
}

// addressText formats an address of 4 or 16 bytes. In one of 16 bytes the longest run of zeros
// is left out.
func addressText(b []byte) string {
	if len(b) != 16 {
		parts := make([]string, len(b))
		for i, n := range b {
			parts[i] = strconv.Itoa(int(n))
		}
		return strings.Join(parts, ".")
	}
	text := ""
	for i := 0; i < 16; i += 2 {
		text += ":" + strconv.FormatInt(int64(b[i])<<8|int64(b[i+1]), 16)
	}
	for n := 8; n > 1; n-- {
		zeros := strings.Repeat(":0", n)
		if at := strings.Index(text+":", zeros+":"); at >= 0 {
			return strings.TrimPrefix(text[:at], ":") + "::" + strings.TrimPrefix(text[at+len(zeros):], ":")
		}
	}
	return text[1:]
}
