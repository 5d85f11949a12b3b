package route

import (
	"slices"
	"strconv"
	"strings"
)

// field is a part of an address that is a parameter of its URL.
type field struct {
	name   string
	format func(a *Address) string           // "": the URL leaves it out
	parse  func(a *Address, values []string) // of the values that the URL has, one or more
	valid  func(value string) bool           // nil: any value means something
}

// fields has a row for each parameter, in the order in which a URL has them. Parse, String and Invalid follow the
// rows, so that what is written is what is read.
var fields = []field{
	plain("c", func(a *Address) *string { return &a.Context }),
	{name: "n", format: func(a *Address) string { return strings.Join(a.Namespaces, ",") }, parse: (*Address).parseNamespaces},
	{name: "l", format: func(a *Address) string { return a.Labels }, parse: func(a *Address, values []string) { a.Labels = strings.Join(given(values), ",") }},
	{name: "q", format: func(a *Address) string { return a.Filter }, parse: (*Address).parseFilter},
	{name: "sort", format: (*Address).formatSort, parse: (*Address).parseSort},
	moment("at", func(a *Address) *int64 { return &a.At }),
	plain("group", func(a *Address) *string { return &a.Group }),
	plain("sum", func(a *Address) *string { return &a.Sum }),
	{name: "cols", format: func(a *Address) string { return a.Columns }, parse: func(a *Address, values []string) { a.Columns = canonical(strings.Join(given(values), ",")) }},
	plain("sel", func(a *Address) *string { return &a.Selected }),
	plain("tab", func(a *Address) *string { return &a.Tab }).among(isTab),
	plain("ct", func(a *Address) *string { return &a.Container }),
	flag("previous", "true", func(a *Address) *bool { return &a.Previous }),

	plain("verb", func(a *Address) *string { return &a.Access.Verb }).on(AccessID),
	plain("who", func(a *Address) *string { return &a.Access.Text }).on(AccessID),
	flag("flip", "true", func(a *Address) *bool { return &a.Flip }).on(CompareID),
	plain("lq", func(a *Address) *string { return &a.Log.Filter }).on(LogsID),
	plain("since", func(a *Address) *string { return &a.Log.Since }).among(isSince).on(LogsID),
	moment("from", func(a *Address) *int64 { return &a.Log.From }).on(LogsID),
	moment("to", func(a *Address) *int64 { return &a.Log.To }).on(LogsID),
	flag("wrap", "true", func(a *Address) *bool { return &a.Log.Wrap }).on(LogsID),
	flag("raw", "true", func(a *Address) *bool { return &a.Log.Raw }).on(LogsID),
	flag("histogram", "false", func(a *Address) *bool { return &a.Log.Unbarred }).on(LogsID),
	plain("rev", func(a *Address) *string { return &a.Revisions }).on(ChangesID),
	plain("expand", func(a *Address) *string { return &a.Expanded }).on(RelatedID),

	plain("lanes", func(a *Address) *string { return &a.Timeline.Lanes }),
	plain("noise", func(a *Address) *string { return &a.Timeline.Noise }),
	moment("tfrom", func(a *Address) *int64 { return &a.Timeline.From }),
	moment("tto", func(a *Address) *int64 { return &a.Timeline.To }),
	{name: "with", format: func(a *Address) string { return a.With.String() }, parse: func(a *Address, values []string) { a.With = ParseObject(values[0], "") }},
	plain("wc", func(a *Address) *string { return &a.With.Context }),
	{name: "embed", format: func(a *Address) string { return a.Embed }, parse: func(*Address, []string) {}}, // ofPath has read it
	{name: "hosted", format: func(a *Address) string { return when(a.Hosted, "1") }, parse: func(a *Address, _ []string) { a.Hosted = a.Embed != "" }},
}

// plain returns the field of a text; of several values the first counts.
func plain(name string, of func(*Address) *string) field {
	return field{name: name, format: func(a *Address) string { return *of(a) }, parse: func(a *Address, values []string) { *of(a) = values[0] }}
}

// flag returns the field of what is on if the URL has one certain value.
func flag(name, on string, of func(*Address) *bool) field {
	return field{name: name, format: func(a *Address) string { return when(*of(a), on) }, parse: func(a *Address, values []string) { *of(a) = values[0] == on }}
}

// when returns the text, or "" unless it is to be written.
func when(is bool, text string) string {
	if is {
		return text
	}
	return ""
}

// moment returns the field of a time.
func moment(name string, of func(*Address) *int64) field {
	return field{name, func(a *Address) string { return formatTime(*of(a)) }, func(a *Address, values []string) { *of(a) = ParseTime(values[0]) }, func(value string) bool { return ParseTime(value) != 0 }}
}

// among returns the field with the values that mean something.
func (f field) among(valid func(value string) bool) field {
	f.valid = valid
	return f
}

// on returns the field as it is written while a tab is open, so that a URL has nothing of a tab that is not on screen.
func (f field) on(tab string) field {
	format := f.format
	f.format = func(a *Address) string {
		return when(a.Tab == tab && (a.Selected != "" || tab == AccessID || tab == CompareID), format(a))
	}
	return f
}

// isSince reports whether a log may begin there.
func isSince(value string) bool {
	seconds, _ := strconv.ParseInt(value, 10, 64)
	return value == "all" || seconds > 0
}

func (a *Address) parseNamespaces(values []string) {
	for n := range strings.SplitSeq(strings.Join(values, ","), ",") {
		if n != "" && !slices.Contains(a.Namespaces, n) {
			a.Namespaces = append(a.Namespaces, n)
		}
	}
}

func (a *Address) parseFilter(values []string) {
	a.Filter = values[0]
	if all := given(values); len(all) > 1 {
		a.Filter = "(" + strings.Join(all, ") (") + ")"
	}
}

func (a *Address) formatSort() string { return when(a.Descending && a.Sort != "", "-") + a.Sort }

func (a *Address) parseSort(values []string) {
	a.Sort, a.Descending = strings.CutPrefix(values[0], "-")
	a.Descending = a.Descending && a.Sort != ""
}

// given returns the values of a parameter that are not empty. One that is repeated means all of them: objects of any of the
// namespaces, which match every filter and every selector.
func given(values []string) []string {
	return slices.DeleteFunc(values, func(v string) bool { return v == "" })
}
