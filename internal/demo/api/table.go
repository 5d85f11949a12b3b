//go:build !js

package api

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"

	"watchglass/internal/demo/store"
)

// Column is a printed column of a custom kind, with the path to its value.
type Column struct {
	metav1.TableColumnDefinition
	Path []string
}

// tableForm prints a custom kind. It serves one request, because it sends the column definitions
// only once.
type tableForm struct {
	jsonForm
	include     string
	now         func() time.Time
	columnsSent bool
}

func newTable(k *Kind, include string, now func() time.Time) *tableForm {
	return &tableForm{jsonForm: jsonForm{k}, include: include, now: now}
}

// nameColumn is the first column of every kind.
var nameColumn = metav1.TableColumnDefinition{
	Name: "Name", Type: "string", Format: "name",
	Description: metav1.ObjectMeta{}.SwaggerDoc()["name"],
}

func (f *tableForm) columns() []metav1.TableColumnDefinition {
	columns := []metav1.TableColumnDefinition{nameColumn}
	for _, c := range f.kind.Columns {
		columns = append(columns, c.TableColumnDefinition)
	}
	return columns
}

func (f *tableForm) row(o *store.Object) (row metav1.TableRow, err error) {
	var object map[string]any
	if err := json.Unmarshal(o.Raw, &object); err != nil {
		return row, fmt.Errorf("print %s: %w", o.Name, err)
	}
	row.Cells = append(row.Cells, o.Name)
	for _, c := range f.kind.Columns {
		row.Cells = append(row.Cells, f.cell(c, valueAt(object, c.Path)))
	}
	switch f.include {
	case string(metav1.IncludeNone):
		return row, nil
	case string(metav1.IncludeObject):
		row.Object = runtime.RawExtension{Raw: o.Raw}
		return row, nil
	}
	meta := map[string]any{"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": object["metadata"]}
	row.Object.Raw, err = json.Marshal(meta)
	return row, err
}

func valueAt(object map[string]any, path []string) any {
	var value any = object
	for _, name := range path {
		fields, _ := value.(map[string]any)
		value = fields[name]
	}
	return value
}

// cell returns a cell's value. A missing value is null, and a date is printed as an age.
func (f *tableForm) cell(c Column, value any) any {
	text, isText := value.(string)
	if c.Type != "date" || !isText {
		return value
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return "<unknown>"
	}
	return duration.HumanDuration(f.now().Sub(t))
}

func (f *tableForm) table(meta metav1.ListMeta, objects ...*store.Object) ([]byte, error) {
	t := metav1.Table{TypeMeta: metav1.TypeMeta{Kind: "Table", APIVersion: "meta.k8s.io/v1"}, ListMeta: meta, Rows: []metav1.TableRow{}}
	if !f.columnsSent {
		t.ColumnDefinitions, f.columnsSent = f.columns(), true
	}
	for _, o := range objects {
		row, err := f.row(o)
		if err != nil {
			return nil, err
		}
		t.Rows = append(t.Rows, row)
	}
	return json.Marshal(t)
}

func (f *tableForm) object(b []byte, o *store.Object) ([]byte, error) {
	body, err := f.table(metav1.ListMeta{ResourceVersion: fmt.Sprint(o.Version)}, o)
	return append(b, body...), err
}

func (f *tableForm) list(w io.Writer, objects []*store.Object, meta metav1.ListMeta) error {
	body, err := f.table(meta, objects...)
	if err == nil {
		_, err = w.Write(append(body, '\n'))
	}
	return err
}

// bookmark returns a Table of one row, the same shape as an object's event.
func (f *tableForm) bookmark(meta metav1.ObjectMeta) ([]byte, error) {
	raw, err := f.jsonForm.bookmark(meta)
	if err != nil {
		return nil, err
	}
	return f.table(metav1.ListMeta{ResourceVersion: meta.ResourceVersion}, &store.Object{Raw: raw})
}
