// Package yaml is part of hop 7 of 8: it writes an object as kubectl prints it, byte for byte, and
// lays it out for reading.
//
// In: successive versions of an object, in JSON. Out: its YAML in rows for the page, with the role
// of each piece, where lines fold, which lines are new, and where a word was found. It does no
// I/O, and knows neither the worker nor the page.
//
// kubectl decodes the object into a tree of maps and prints that by reflection. This package leaves
// the document as it is, indexes where its maps and lists end, and writes in one pass, which knows
// what each piece is. The rules are those of go.yaml.in/yaml/v2, and tests compare the two.
package yaml
