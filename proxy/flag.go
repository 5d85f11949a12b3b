//go:build !js

package main

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// flag is one flag. The command line, the environment variables, --help and the table in
// README.md are all derived from it.
type flag struct {
	name, short, value, help string
	bind                     func(*pflag.FlagSet, flag)
}

func text(into *string, standard string) func(*pflag.FlagSet, flag) {
	return func(fs *pflag.FlagSet, f flag) { fs.StringVarP(into, f.name, f.short, standard, f.help) }
}

func texts(into *[]string) func(*pflag.FlagSet, flag) {
	return func(fs *pflag.FlagSet, f flag) { fs.StringArrayVarP(into, f.name, f.short, nil, f.help) }
}

func number(into *int, standard int) func(*pflag.FlagSet, flag) {
	return func(fs *pflag.FlagSet, f flag) { fs.IntVarP(into, f.name, f.short, standard, f.help) }
}

func seed(into *uint64) func(*pflag.FlagSet, flag) {
	return func(fs *pflag.FlagSet, f flag) { fs.Uint64VarP(into, f.name, f.short, 1, f.help) }
}

func length(into *time.Duration, standard time.Duration) func(*pflag.FlagSet, flag) {
	return func(fs *pflag.FlagSet, f flag) { fs.DurationVarP(into, f.name, f.short, standard, f.help) }
}

func yes(into *bool) func(*pflag.FlagSet, flag) {
	return func(fs *pflag.FlagSet, f flag) { fs.BoolVarP(into, f.name, f.short, false, f.help) }
}

// variable returns the environment variable of a flag.
func (f flag) variable() string {
	return "WATCHGLASS_" + strings.ToUpper(strings.ReplaceAll(f.name, "-", "_"))
}

// takes returns the placeholder of the flag's value as help shows it. A value in brackets is
// optional, and follows without a space.
func (f flag) takes() string {
	if f.value == "" || f.value[0] == '[' {
		return f.value
	}
	return " " + f.value
}

// optional is a flag whose default depends on the mode. It is nil until it is set.
type optional[T any] struct {
	into **T
	read func(string) (T, error)
	of   string
}

func (o optional[T]) String() string { return "" }
func (o optional[T]) Type() string   { return o.of }

func (o optional[T]) Set(text string) error {
	v, err := o.read(text)
	if err == nil {
		*o.into = &v
	}
	return err
}

// onOff is a flag with the values on and off. Without a value it is on.
func onOff(into **bool) func(*pflag.FlagSet, flag) {
	read := func(text string) (bool, error) {
		if on, err := strconv.ParseBool(text); err == nil {
			return on, nil
		}
		if text != "on" && text != "off" {
			return false, errors.New("must be on or off")
		}
		return text == "on", nil
	}
	return func(fs *pflag.FlagSet, f flag) {
		fs.VarPF(optional[bool]{into, read, "on|off"}, f.name, f.short, f.help).NoOptDefVal = "on"
	}
}

func duration(into **time.Duration) func(*pflag.FlagSet, flag) {
	return func(fs *pflag.FlagSet, f flag) {
		fs.VarP(optional[time.Duration]{into, time.ParseDuration, "duration"}, f.name, f.short, f.help)
	}
}
