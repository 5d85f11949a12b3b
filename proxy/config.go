//go:build !js

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"watchglass/internal/query"
)

// maxConfig is the maximum size of a configuration file.
const maxConfig = 1 << 20

// unfiled are the flags that cannot be set in a file.
var unfiled = append([]string{"config"}, asides...)

// configure sets the flags in the file, except those that the command line or the environment
// has set.
func configure(file string, fs *pflag.FlagSet) error {
	text, err := readConfig(file)
	if err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	all, err := settings(text)
	if err != nil {
		return fmt.Errorf("--config %s: %w", file, err)
	}
	lines := make(map[string]int)
	for _, s := range all {
		err := s.apply(fs)
		if line, ok := lines[s.key.Value]; ok {
			err = fmt.Errorf("%s is already set in line %d", s.key.Value, line)
		}
		if err != nil {
			return fmt.Errorf("--config %s, line %d: %w", file, s.key.Line, err)
		}
		lines[s.key.Value] = s.key.Line
	}
	return nil
}

func readConfig(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err == nil && len(text) > maxConfig {
		err = fmt.Errorf("%s is larger than %d MiB", file, maxConfig>>20)
	}
	return text, err
}

// setting is a flag and its value in the file.
type setting struct{ key, value *yaml.Node }

// settings parses a file, which holds one YAML document or nothing.
func settings(text []byte) ([]setting, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document, second yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, err
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("line %d: the file must contain a single document", max(second.Line, 1))
	}
	root := document.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, nil
	}
	if root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: expected flags by name, such as \"listen: %s\"", root.Line, standardListen)
	}
	var all []setting
	for pair := range slices.Chunk(root.Content, 2) {
		all = append(all, setting{pair[0], pair[1]})
	}
	return all, nil
}

// apply sets a flag, unless it is set already.
func (s setting) apply(fs *pflag.FlagSet) error {
	name := s.key.Value
	f := fs.Lookup(name)
	if s.key.Kind != yaml.ScalarNode || f == nil || slices.Contains(unfiled, name) {
		return unknown(name, fs)
	}
	values, err := s.texts(f.Value.Type())
	if err != nil || f.Changed {
		return err
	}
	for _, v := range values { // the first value of a list replaces the default
		if fs.Set(name, v) != nil {
			return s.wants(f.Value.Type())
		}
	}
	return nil
}

// unknown returns the error for a key that is not a flag, with the nearest flag if there is one.
func unknown(name string, fs *pflag.FlagSet) error {
	if slices.Contains(unfiled, name) {
		return fmt.Errorf("%q cannot be set in a file", name)
	}
	var names []string
	fs.VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(unfiled, f.Name) {
			names = append(names, f.Name)
		}
	})
	plain := strings.ReplaceAll(strings.ToLower(strings.TrimLeft(name, "-")), "_", "-")
	if near, ok := query.Nearest(plain, names); ok {
		return fmt.Errorf("unknown flag %q: did you mean %q?", name, near)
	}
	return fmt.Errorf("unknown flag %q: see --help, and leave out the dashes", name)
}

// fits are the YAML types that each type of flag accepts. A number is accepted as text, as it
// is written.
var fits = map[string][]string{
	"string": {"!!str", "!!int", "!!float"}, "stringArray": {"!!str", "!!int", "!!float"},
	"int": {"!!int"}, "uint64": {"!!int"}, "bool": {"!!bool"}, "on|off": {"!!bool", "!!str"}, "duration": {"!!str"},
}

// texts returns the values as they would be given on the command line.
func (s setting) texts(of string) ([]string, error) {
	nodes := []*yaml.Node{s.value}
	if of == "stringArray" {
		if s.value.Kind != yaml.SequenceNode {
			return nil, s.wants(of)
		}
		nodes = s.value.Content
	}
	texts := make([]string, 0, len(nodes))
	for _, n := range nodes {
		if n.Kind != yaml.ScalarNode || !slices.Contains(fits[of], n.Tag) {
			return nil, s.wants(of)
		}
		texts = append(texts, n.Value)
	}
	return texts, nil
}

// wants returns the error for a value of the wrong type.
func (s setting) wants(of string) error {
	right := map[string]string{
		"string": "text; put the value in quotes", "stringArray": "a list of text values, such as [a, b]",
		"int": "a whole number", "uint64": "a whole number, 0 or more",
		"bool": "true or false", "on|off": "on or off", "duration": "a duration with its unit, such as 10s",
	}[of]
	return fmt.Errorf("%s must be %s", s.key.Value, right)
}
