//go:build !js

package main

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// The scripts that make a shell complete the command line. They ask this program what fits.
var (
	//go:embed completion.bash
	completionBash string
	//go:embed completion.zsh
	completionZsh string
	//go:embed completion.fish
	completionFish string
	//go:embed completion.ps1
	completionPowershell string
)

var completions = map[string]string{"bash": completionBash, "zsh": completionZsh, "fish": completionFish, "powershell": completionPowershell}

// shells are the shells that have a script, in the order of help.
var shells = []string{"bash", "zsh", "fish", "powershell"}

// completeCommand is the hidden command that the scripts run.
const completeCommand = "__complete"

// The last line of the answer tells the shell whether to offer files. These are the codes of
// Cobra, whose scripts kubectl uses.
const (
	offerFiles   = ":0"
	offerNoFiles = ":4"
)

// candidate is a word that fits, and its description.
type candidate struct{ word, help string }

// printCompletion prints what fits in place of the last argument, a candidate to a line. After
// --flag= that is a value, without the flag.
func printCompletion(args []string, env func(string) string, w io.Writer) {
	if len(args) == 0 {
		args = []string{""}
	}
	before, current := args[:len(args)-1], args[len(args)-1]
	o := new(options)
	fs := flagSet(o)
	_ = fs.Parse(before) // an incomplete command line may be invalid
	if o.cluster.Kubeconfig == "" {
		o.cluster.Kubeconfig = env("WATCHGLASS_KUBECONFIG")
	}
	all, files := o.candidates(fs, before, current)
	typed := current
	if strings.HasPrefix(current, "-") {
		if _, value, ok := strings.Cut(current, "="); ok {
			typed = value
		}
	}
	for _, c := range all {
		if strings.HasPrefix(c.word, typed) {
			fmt.Fprintln(w, strings.TrimSuffix(c.word+"\t"+c.help, "\t"))
		}
	}
	if files {
		fmt.Fprintln(w, offerFiles)
	} else {
		fmt.Fprintln(w, offerNoFiles)
	}
}

// candidates returns what may follow the words before, and whether that is a file.
func (o *options) candidates(fs *pflag.FlagSet, before []string, current string) (all []candidate, files bool) {
	if name, _, ok := strings.Cut(current, "="); ok && strings.HasPrefix(name, "-") {
		return o.values(lookup(fs, name))
	}
	if len(before) > 0 {
		if f := lookup(fs, before[len(before)-1]); f != nil && f.NoOptDefVal == "" {
			return o.values(f)
		}
	}
	if strings.HasPrefix(current, "-") {
		return o.flagCandidates(fs), false
	}
	switch fs.NArg() {
	case 0:
		for _, c := range commands {
			all = append(all, candidate{c.name, c.help})
		}
	case 1:
		switch fs.Arg(0) {
		case "completion":
			all = fixed(shells...)
		case "page":
			files = true
		}
	}
	return all, files
}

// flagCandidates returns the flags, without those that are set and cannot be repeated.
func (o *options) flagCandidates(fs *pflag.FlagSet) (all []candidate) {
	for _, f := range o.flags() {
		if set := fs.Lookup(f.name); set.Changed && set.Value.Type() != "stringArray" {
			continue
		}
		help, _, _ := strings.Cut(f.help, ". ")
		all = append(all, candidate{"--" + f.name, help})
	}
	return all
}

// lookup returns the flag that a word names, or nil.
func lookup(fs *pflag.FlagSet, word string) *pflag.Flag {
	if name, ok := strings.CutPrefix(word, "--"); ok {
		return fs.Lookup(name)
	}
	if len(word) == 2 && word[0] == '-' {
		return fs.ShorthandLookup(word[1:])
	}
	return nil
}

// values returns the values of a flag, and whether they are files.
func (o *options) values(f *pflag.Flag) (all []candidate, files bool) {
	if f == nil {
		return nil, false
	}
	i := slices.IndexFunc(o.flags(), func(g flag) bool { return g.name == f.Name })
	switch name := f.Name; {
	case o.flags()[i].value == "FILE":
		return nil, true
	case name == "auth":
		return fixed(authLocal, authToken, authOIDC, authProxy), false
	case name == "tls-min-version":
		return fixed("1.2", "1.3"), false
	case name == "audit":
		return fixed("on", "off"), false
	case name == "context", name == "cluster", name == "user":
		names := o.cluster.Names()
		return fixed(map[string][]string{"context": names.Contexts, "cluster": names.Clusters, "user": names.Users}[name]...), false
	}
	return nil, false
}

func fixed(all ...string) (candidates []candidate) {
	for _, w := range all {
		candidates = append(candidates, candidate{word: w})
	}
	return candidates
}
