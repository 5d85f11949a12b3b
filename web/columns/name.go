package columns

import (
	"strconv"
	"strings"

	"watchglass/internal/query"
)

// columnNamed returns the column for a text, or what is wrong with it. A text that is not a
// path is a label.
func columnNamed(text string) (name, wrong string) {
	text = strings.TrimSpace(text)
	key, isKey := "", false
	for _, prefix := range []string{query.LabelPrefix, query.AnnotationPrefix} {
		if rest, ok := strings.CutPrefix(text, prefix); ok {
			key, isKey = rest, true
		}
	}
	switch {
	case text == "":
		return "", "Enter a label, an annotation or a path."
	case isKey && key == "":
		return "", "The name is missing. Example: " + text + "app"
	case isKey && !query.IsKey(key), !isKey && !strings.ContainsAny(text[:1], "{.$[") && !query.IsKey(text):
		return "", strconv.Quote(text) + " is not a valid label name. Use letters, digits, '-', '_' and '.', optionally after a domain and '/'."
	case isKey:
		return text, ""
	case !strings.ContainsAny(text[:1], "{.$["):
		return query.LabelPrefix + text, ""
	}
	path, err := query.ParsePath(text)
	if err != nil {
		return "", "Invalid path: " + err.Error()
	}
	return path.String(), ""
}
