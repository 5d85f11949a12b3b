package source

import (
	"slices"
	"strings"

	"watchglass/internal/object"
)

// Separators in the name of a variant: betweenExtras separates columns, and behindPrinting
// separates how the kind is printed from them.
const (
	betweenExtras  = "\x1f"
	behindPrinting = "\x1d"
)

// Added splits the requested columns into those that a decoder has to print, sorted, and
// those of labels. The view reports a name that is neither.
func Added(names []string) (extras []object.Extra, labels []object.Column) {
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		e, err := object.ParseExtra(name)
		switch {
		case err != nil:
		case e.Printed():
			extras = append(extras, e)
		default:
			labels = append(labels, e.LabelColumn())
		}
	}
	return extras, labels
}

// Variant names how the objects of a source are decoded: how the kind is printed, and which
// columns are added.
func Variant(kind *object.Kind, extras []object.Extra) string {
	names := make([]string, len(extras))
	for i, e := range extras {
		names[i] = e.Name
	}
	variant := strings.Join(names, betweenExtras)
	if key := kind.Printing().Key(); key != "" {
		variant = key + behindPrinting + variant
	}
	return variant
}

// ReadVariant reads the name that Variant gave.
func ReadVariant(name string) (printing object.Printing, extras []object.Extra) {
	if key, names, found := strings.Cut(name, behindPrinting); found {
		printing, name = object.ParsePrinting(key), names
	}
	extras, _ = Added(strings.Split(name, betweenExtras))
	return printing, extras
}
