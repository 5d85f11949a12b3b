package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"watchglass/internal/sorting"
	"watchglass/web/route"
)

// View is a saved view.
type View struct {
	Name string `json:"name"`
	// Address is a view's address below the base; see route.Address.View.
	Address string `json:"address"`
}

// Parse returns the view's address in a context.
func (k View) Parse(context string) route.Address {
	path, query, _ := strings.Cut(k.Address, "?")
	a := route.Parse("", path, query)
	a.Context = context
	return a
}

// check returns an error for an invalid view, or one whose name another has.
func (k View) check(names map[string]bool) error {
	switch err := CheckName(k.Name); {
	case err != nil:
		return err
	case names[k.Name]:
		return fmt.Errorf("%q appears twice", k.Name)
	case k.Parse("").View().String("") != k.Address:
		return fmt.Errorf("%q has an invalid address: %q", k.Name, k.Address)
	}
	return nil
}

const (
	// LongestName is the maximum length of a view's name, in characters.
	LongestName = 60
	// MostViews is the maximum number of saved views.
	MostViews = 500
)

// CheckName returns an error for an invalid view name.
func CheckName(name string) error {
	switch {
	case name == "":
		return errors.New("a view needs a name")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) || name != strings.TrimSpace(name):
		return fmt.Errorf("%q is not a valid view name", name)
	case utf8.RuneCountInString(name) > LongestName:
		return fmt.Errorf("the name is longer than %d characters", LongestName)
	}
	return nil
}

// viewFile is the format in which views are stored and exported.
type viewFile struct {
	Watchglass string `json:"watchglass"` // the file's content: viewContent
	Version    int    `json:"version"`
	Views      []View `json:"views"`
}

const (
	viewContent = "views"
	viewVersion = 1
)

// WriteViews returns a file of views.
func WriteViews(views []View) string {
	doc, _ := json.MarshalIndent(viewFile{viewContent, viewVersion, views}, "", "  ") // strings never fail to encode
	return string(doc) + "\n"
}

// ReadViews parses a file of views. It returns all of them or an error.
func ReadViews(text string) ([]View, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	var f viewFile
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("not a views file: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("not a views file: unexpected data after the views")
	}
	switch {
	case f.Watchglass != viewContent:
		return nil, errors.New("not a views file")
	case f.Version != viewVersion:
		return nil, fmt.Errorf("the file has version %d; only version %d is supported", f.Version, viewVersion)
	case len(f.Views) > MostViews:
		return nil, fmt.Errorf("the file has more than %d views", MostViews)
	}
	names := make(map[string]bool, len(f.Views))
	for _, k := range f.Views {
		if err := k.check(names); err != nil {
			return nil, err
		}
		names[k.Name] = true
	}
	return f.Views, nil
}

// WithViews adds views to others, sorted by name. A view with the same name is replaced.
func WithViews(views []View, more ...View) (all []View, replaced int) {
	all = slices.DeleteFunc(slices.Clone(views), func(k View) bool {
		again := slices.ContainsFunc(more, func(m View) bool { return m.Name == k.Name })
		if again {
			replaced++
		}
		return again
	})
	all = append(all, more...)
	sorting.By(all, func(a, b View) int {
		if c := strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	})
	return all, replaced
}

// WithoutView returns the views without the one with a name.
func WithoutView(views []View, name string) []View {
	return slices.DeleteFunc(slices.Clone(views), func(k View) bool { return k.Name == name })
}

// ViewNamed returns the view with a name.
func ViewNamed(views []View, name string) (View, bool) {
	if i := slices.IndexFunc(views, func(k View) bool { return k.Name == name }); i >= 0 {
		return views[i], true
	}
	return View{}, false
}
