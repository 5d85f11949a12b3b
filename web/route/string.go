package route

import (
	"net/url"
	"strings"
)

// String returns the shortest URL for the address, below a base.
func (a Address) String(base string) string {
	var q []string
	for _, f := range fields {
		if value := f.format(&a); value != "" {
			q = append(q, f.name+"="+escape(value))
		}
	}
	out := base + "/"
	if !a.Overview {
		out += url.PathEscape(a.Resource)
	}
	if len(q) > 0 {
		join := "?"
		if strings.Contains(base, join) {
			join = "&"
		}
		out += join + strings.Join(q, "&")
	}
	return out
}

// escape escapes a query value, but leaves characters that a URL may contain, for readability.
func escape(value string) string {
	return readable.Replace(url.QueryEscape(value))
}

var readable = strings.NewReplacer("%2C", ",", "%2F", "/", "%3D", "=", "%21", "!", "%3A", ":", "%28", "(", "%29", ")", "%2A", "*")
