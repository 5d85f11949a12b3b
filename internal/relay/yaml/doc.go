// Package yaml is part of hop 2 of 8: it writes a JSON object as kubectl prints it, byte for
// byte.
//
// In: a JSON document. Out: its YAML. The relay uses it for each object that is shown as YAML.
//
// kubectl decodes the object into a tree of maps and prints that by reflection. For an object
// of 840 kB with 280,000 values, that takes 200 MB and a second. This package leaves the
// document as it is, indexes where its maps and lists end, and writes in one pass. The rules
// are those of go.yaml.in/yaml/v2, and tests compare the two.
package yaml
