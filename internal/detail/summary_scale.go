package detail

import (
	"encoding/base64"
	"encoding/pem"
	"net"
	"strings"
	"time"

	"watchglass/internal/object"
)

// metrics are what an autoscaler goes by: how it is, and how it should be.
func metrics(w *writer, v Value) {
	t := Table{Title: "Metrics", Columns: []Column{{Name: "Metric"}, {Name: "Current", Right: true}, {Name: "Target", Right: true}}}
	current := v.At("status", "currentMetrics").List()
	for i, m := range v.At("spec", "metrics").List() {
		var now Value
		if i < len(current) {
			now = current[i]
		}
		kind := m.At("type").Text()
		field := strings.ToLower(kind[:min(1, len(kind))]) + kind[min(1, len(kind)):]
		source, now := m.At(field), now.At(field, "current")
		target := source.At("target")
		name, how := metricName(w, kind, source), " (target value)"
		is, should := now.At("value").Text(), target.At("value").Text()
		switch resource := kind == "Resource" || kind == "ContainerResource"; {
		case target.At("averageValue").Exists():
			is, should, how = now.At("averageValue").Text(), target.At("averageValue").Text(), " (target average value)"
			if resource || kind == "Pods" {
				how = ""
			}
		case resource:
			is, should, how = percentOf(now), "<auto>", " (as a percentage of request)"
			if n := target.At("averageUtilization").Text(); n != "" {
				should = n + "%"
			}
		}
		if is == "" {
			is = "<unknown>"
		}
		t.Rows = append(t.Rows, []Line{name.look(Quiet, how), Line{}.text(is), Line{}.text(should)})
	}
	w.addTable(t)
}

func percentOf(now Value) string {
	n := now.At("averageUtilization").Text()
	if n == "" {
		return ""
	}
	return n + "% (" + zero(now.At("averageValue").Text()) + ")"
}

func metricName(w *writer, kind string, source Value) Line {
	metric := source.At("metric", "name").Text()
	switch kind {
	case "Resource":
		return Line{}.text("resource " + source.At("name").Text() + " on pods")
	case "ContainerResource":
		return Line{}.text("resource " + source.At("name").Text() + " of container " + source.At("container").Text() + " on pods")
	case "Pods":
		return Line{}.text(metric + " on pods")
	case "Object":
		return append(Line{}.text(metric+" on "), join(w.object(source.At("describedObject"), ""), "")...)
	}
	line := Line{}.text(metric)
	if s := source.At("metric", "selector"); s.Exists() {
		line = line.pair(" ", selectorText(s))
	}
	return line
}

// behavior is how fast an autoscaler scales.
func behavior(w *writer, v Value) {
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

// duration is a number of seconds, as an age is written.
func (w *writer) duration(v Value, _ string) []Line {
	n := v.Int()
	if !v.Exists() {
		return nil
	}
	cell := object.Cell{Kind: object.SpanCell, At: 1, End: 1 + n}
	return one(Piece{Text: string(cell.Append(nil, time.Time{}))})
}

// request is what became of a request for a certificate.
func (w *writer) request(v Value, _ string) []Line {
	has := make(map[string]bool)
	for _, c := range v.At("status", "conditions").List() {
		has[c.At("type").Text()] = true
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
	if v.At("status", "certificate").Text() != "" {
		text += ",Issued"
	}
	return one(Piece{Text: text, Look: look})
}

// certificate is who a certificate is asked for.
func certificate(w *writer, v Value) {
	doc, err := base64.StdEncoding.DecodeString(v.Text())
	if err != nil {
		return
	}
	block, _ := pem.Decode(doc)
	if block == nil {
		return
	}
	w.section("Subject")
	for _, name := range namesOf(block.Bytes) {
		w.row(name.name, Line{}.look(Code, name.text))
	}
}

// namedText is one of the names in a request: "Common name", "DNS names" …
type namedText struct{ name, text string }

// objectIDs are the parts of a subject, by the last byte of their identifier.
var objectIDs = map[byte]string{3: "Common name", 5: "Serial number", 6: "Country", 7: "Locality", 8: "Province", 9: "Street address", 10: "Organization", 11: "Organizational unit", 17: "Postal code"}

// alternatives are the kinds of alternative names, by their tags.
var alternatives = map[byte]string{0x81: "Email addresses", 0x82: "DNS names", 0x86: "URIs", 0x87: "IP addresses"}

// der is an element: its tag, and what is in it.
type der struct {
	tag  byte
	body []byte
}

// elements are those in a body; what is malformed ends them.
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

// inside is the i-th element in a body.
func inside(body []byte, i int) der {
	all := elements(body)
	if i >= len(all) {
		return der{}
	}
	return all[i]
}

// namesOf are the names that a PKCS #10 request asks for: those of the subject, and
// the alternative ones among its extensions. It is read here, since crypto/x509 would
// weigh more than all summaries.
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
	return net.IP(name.body).String()
}
