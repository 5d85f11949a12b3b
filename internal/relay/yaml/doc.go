//go:build !js

// Package yaml writes a JSON object as kubectl prints it, to the byte.
//
// In: a document in JSON. Out: text. It stands beside hop 2, which has one for each
// object that somebody looks at as YAML.
//
// kubectl decodes the object into a tree of maps and prints that by reflection; of an
// object of 840 kB with 280,000 values that is 200 MB and a second. Here the document
// stays as it is, beside an index of where its maps and lists end, and is written in one
// pass. The rules of the text are those of go.yaml.in/yaml/v2, which tests hold it to.
package yaml
