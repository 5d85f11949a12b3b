//go:build js && wasm

package dom

import (
	"encoding/json"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall/js"

	"github.com/hack-pad/safejs"
)

// expose sets window.watchglass, the API for scripts and tests.
func (b *Browser) expose(p Host) {
	tasks := b.longTasks()
	api := map[string]any{
		"version": version(),
		"on":      js.FuncOf(func(_ js.Value, args []js.Value) any { return b.listen(p, args) }),
		"inspect": b.promise(func(args string) (js.Value, string) {
			v, failed := b.ask(p, "inspect", args)
			if failed == "" {
				setOwn(v, args)
				v.Set("longTasks", tasks)
				v.Set("past", b.parse(p.Past()))
			}
			return v, failed
		}),
	}
	api["travel"] = b.promise(func(args string) (js.Value, string) {
		at, failed := momentOf([]byte(args))
		if failed != "" {
			return js.Undefined(), failed
		}
		doc, failed := p.Travel(at)
		if failed != "" {
			return js.Undefined(), failed
		}
		return b.parse(doc), ""
	})
	for _, method := range []string{"list", "snapshot", "rows", "facets"} {
		api[method] = b.promise(func(args string) (js.Value, string) { return b.ask(p, method, args) })
	}
	b.window.Set("watchglass", api)
	if host := b.window.Get("watchglassHost"); host.Truthy() {
		host.Call("run", api, js.FuncOf(func(_ js.Value, args []js.Value) any {
			if text, err := b.stringify(args[0]); err == nil {
				p.OnHostMessage([]byte(text))
			}
			return nil
		}))
	}
}

// listen calls a script's function with each event of a name, until the function that it returns is called. An error of
// the script is its own: it is logged, and the page goes on.
func (b *Browser) listen(p Host, args []js.Value) any {
	off := func() {}
	if len(args) < 2 || args[1].Type() != js.TypeFunction {
		b.logError(`watchglass.on: expected ("state" | "select", function)`)
	} else {
		f := safejs.Safe(args[1])
		off = p.On(args[0].String(), func(doc json.RawMessage) {
			if _, err := f.Invoke(b.parse(doc)); err != nil {
				b.logError("a listener of watchglass.on: " + err.Error())
			}
		})
	}
	return js.FuncOf(func(js.Value, []js.Value) any { off(); return nil })
}

func (b *Browser) logError(text string) { b.window.Get("console").Call("error", text) }

// stringify returns a value as JSON. It may have none: a cycle, or a BigInt.
func (b *Browser) stringify(v js.Value) (string, error) {
	text, err := safejs.Safe(b.window.Get("JSON")).Call("stringify", v)
	if err != nil {
		return "", err
	}
	return text.String()
}

// ask sends a request to the worker; the second result is the error message.
func (b *Browser) ask(p Host, method, args string) (js.Value, string) {
	a := p.Ask(method, json.RawMessage(args))
	if a.Error != "" {
		return js.Undefined(), a.Error
	}
	return b.parse(a.Value), ""
}

func (b *Browser) parse(doc json.RawMessage) js.Value {
	return b.window.Get("JSON").Call("parse", string(doc))
}

// setOwn adds what the page's program uses to what the worker says of its own. With {gc: true}, garbage is
// collected first.
func setOwn(v js.Value, args string) {
	var options []struct{ GC bool }
	if err := json.Unmarshal([]byte(args), &options); err == nil && len(options) > 0 && options[0].GC {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	v.Get("memory").Set("page", float64(m.HeapAlloc))
	v.Get("goroutines").Set("page", runtime.NumGoroutine())
}

// promise returns a JavaScript function that returns a promise of f's result.
func (b *Browser) promise(f func(args string) (value js.Value, failed string)) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		list := b.window.Get("Array").New()
		for _, a := range args {
			list.Call("push", a)
		}
		text, err := b.stringify(list)
		if err != nil {
			return b.window.Get("Promise").Call("reject", b.window.Get("Error").New(err.Error()))
		}
		var executor js.Func
		executor = js.FuncOf(func(_ js.Value, settle []js.Value) any {
			resolve, reject := settle[0], settle[1]
			go func() {
				defer executor.Release()
				if value, failed := f(text); failed != "" {
					reject.Invoke(b.window.Get("Error").New(failed))
				} else {
					resolve.Invoke(value)
				}
			}()
			return nil
		})
		return b.window.Get("Promise").New(executor)
	})
}

// longTasks collects the page's long tasks: {start, duration} in milliseconds.
func (b *Browser) longTasks() js.Value {
	tasks := b.window.Get("Array").New()
	observer := b.window.Get("PerformanceObserver")
	if !observer.Truthy() {
		return tasks
	}
	observer.New(js.FuncOf(func(_ js.Value, args []js.Value) any {
		entries := args[0].Call("getEntries")
		for i := range entries.Length() {
			e := entries.Index(i)
			tasks.Call("push", map[string]any{"start": e.Get("startTime"), "duration": e.Get("duration")})
		}
		return nil
	})).Call("observe", map[string]any{"type": "longtask", "buffered": true})
	return tasks
}

// version returns the version and commit of the build.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	out := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			out += " " + s.Value[:min(len(s.Value), 12)]
		}
		if s.Key == "vcs.modified" && s.Value == strconv.FormatBool(true) {
			out += " modified"
		}
	}
	return out
}
