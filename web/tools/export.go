package tools

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// The formats of an export.
const (
	AsCSV  = "csv"
	AsJSON = "json"
)

// ExportRows are some of the matching rows, as the worker sends them.
type ExportRows struct {
	Total   int
	Columns []struct{ Name string }
	Rows    []struct{ Cells []string }
}

// File is an export file, written row by row.
type File interface {
	Row(cells []string)
	End() [][]byte
}

// NewFile begins a file with the columns of the first rows.
func NewFile(as string, first ExportRows) File {
	names := make([]string, len(first.Columns))
	for i, c := range first.Columns {
		names[i] = c.Name
	}
	if as == AsJSON {
		return &jsonFile{names: distinct(names)}
	}
	f := &csvFile{}
	f.Row(names)
	return f
}

const blockSize = 1 << 20

// blocks is a file's content in blocks, so that a large file is not copied as it grows.
type blocks struct {
	full [][]byte
	last bytes.Buffer
}

func (b *blocks) cut() {
	if b.last.Len() >= blockSize {
		b.full = append(b.full, b.last.Bytes())
		b.last = bytes.Buffer{}
	}
}

func (b *blocks) all() [][]byte { return append(b.full, b.last.Bytes()) }

// csvFile is CSV as in RFC 4180.
type csvFile struct{ blocks }

func (f *csvFile) Row(cells []string) {
	for i, cell := range cells {
		if i > 0 {
			f.last.WriteByte(',')
		}
		f.last.WriteString(csvCell(cell))
	}
	f.last.WriteString("\r\n")
	f.cut()
}

func (f *csvFile) End() [][]byte { return f.all() }

// csvCell escapes a cell. An apostrophe before =, +, - or @ keeps spreadsheets from running the
// cell as a formula; it also precedes signed numbers. Programs should read the JSON export,
// which leaves cells unchanged. Characters that end a cell in some spreadsheet are quoted.
func csvCell(text string) string {
	if text != "" && strings.IndexByte("=+-@\t\r\n", text[0]) >= 0 {
		text = "'" + text
	}
	if strings.ContainsAny(text, "\",;\t\r\n") || strings.TrimSpace(text) != text {
		return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return text
}

// jsonFile is a JSON array of objects with a field for each column.
type jsonFile struct {
	blocks
	names []string
	rows  int
}

func (f *jsonFile) Row(cells []string) {
	sep := ",\n"
	if f.rows++; f.rows == 1 {
		sep = "[\n"
	}
	f.last.WriteString(sep)
	for i, cell := range cells[:min(len(cells), len(f.names))] {
		f.last.WriteByte("{,"[min(i, 1)])
		f.last.Write(jsonText(f.names[i]))
		f.last.WriteByte(':')
		f.last.Write(jsonText(cell))
	}
	f.last.WriteByte('}')
	f.cut()
}

func (f *jsonFile) End() [][]byte {
	if f.rows == 0 {
		f.last.WriteString("[")
	}
	f.last.WriteString("\n]\n")
	return f.all()
}

func jsonText(text string) []byte {
	doc, _ := json.Marshal(text) // a string never fails to encode
	return doc
}

// distinct numbers duplicate names: a kind may name several columns the same.
func distinct(names []string) []string {
	out, has := make([]string, len(names)), make(map[string]bool)
	for i, name := range names {
		out[i] = name
		for n := 2; has[out[i]]; n++ {
			out[i] = name + " " + strconv.Itoa(n)
		}
		has[out[i]] = true
	}
	return out
}
