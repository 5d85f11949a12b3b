//go:build js && wasm

package dom

import (
	"syscall/js"

	"watchglass/web/ui"
	"watchglass/web/words"
)

// fetch reads the recording that was published with the page, if there is one.
func (b *Browser) fetch(p Host) {
	if _, fetches := b.Alone(); !fetches {
		return
	}
	name := b.root.Get("dataset").Get("recording").String()
	settlesWith(b.window.Get("watchglassFile"), func(v js.Value, failed string) { p.Fetched(name, jsFile{v}, failed) })
}

// savedWithin is how long the browser may take to start a download, in milliseconds.
const savedWithin = 60_000

// Save downloads the file.
func (b *Browser) Save(name, mime string, pieces [][]byte) {
	parts := b.window.Get("Array").New()
	for _, piece := range pieces {
		bytes := b.window.Get("Uint8Array").New(len(piece))
		js.CopyBytesToJS(bytes, piece)
		parts.Call("push", bytes)
	}
	b.download(name, b.window.Get("Blob").New(parts, map[string]any{"type": mime}))
}

// download downloads a blob through a temporary link.
func (b *Browser) download(name string, blob js.Value) {
	urls := b.window.Get("URL")
	address := urls.Call("createObjectURL", blob)
	link := b.document.Call("createElement", "a")
	link.Set("href", address)
	link.Set("download", name)
	link.Call("click")
	var forget js.Func
	forget = js.FuncOf(func(js.Value, []js.Value) any {
		forget.Release()
		urls.Call("revokeObjectURL", address)
		return nil
	})
	b.window.Call("setTimeout", forget, savedWithin)
}

// jsPacker compresses a file in the browser, which takes no time of the page.
type jsPacker struct {
	b            *Browser
	writer, blob js.Value // the second is a promise
}

// Pack begins a file in gzip.
func (b *Browser) Pack() (ui.Packer, string) {
	kind := b.window.Get("CompressionStream")
	if !kind.Truthy() {
		return nil, "this browser can't compress files"
	}
	stream := kind.New("gzip")
	return &jsPacker{b, stream.Get("writable").Call("getWriter"), b.window.Get("Response").New(stream.Get("readable")).Call("blob")}, ""
}

func (p *jsPacker) Write(chunk []byte, taken func()) {
	bytes := p.b.window.Get("Uint8Array").New(len(chunk))
	js.CopyBytesToJS(bytes, chunk)
	settles(p.writer.Call("write", bytes), func(string) { taken() })
}

func (p *jsPacker) Save(name string, done func(bytes int, failed string)) {
	settles(p.writer.Call("close"), func(string) {})
	settlesWith(p.blob, func(blob js.Value, failed string) {
		if failed != "" {
			done(0, failed)
			return
		}
		p.b.download(name, blob)
		done(blob.Get("size").Int(), "")
	})
}

// drops lets the user drop a recording anywhere on the page. While a file is dragged over it, the
// document has data-drop.
func (b *Browser) drops(p Host) {
	data := b.root.Get("dataset")
	over := func(e js.Value) {
		if from := e.Get("dataTransfer"); !b.framed && from.Truthy() && from.Get("types").Call("includes", "Files").Bool() {
			e.Call("preventDefault") // else the browser opens the file in place of the page
			data.Set("drop", "")
		}
	}
	on(b.document, "dragenter", over)
	on(b.document, "dragover", over)
	on(b.document, "dragleave", func(e js.Value) {
		if !e.Get("relatedTarget").Truthy() { // it left the window
			data.Delete("drop")
		}
	})
	on(b.document, "drop", func(e js.Value) {
		if data.Get("drop").IsUndefined() {
			return
		}
		e.Call("preventDefault")
		data.Delete("drop")
		if files := e.Get("dataTransfer").Get("files"); files.Length() > 0 {
			p.OpenFile(jsFile{files.Index(0)})
		}
	})
}

// PickFile opens the browser's dialog. The field is not in the document.
func (b *Browser) PickFile() {
	field := b.document.Call("createElement", "input")
	field.Set("type", "file")
	on(field, "change", func(js.Value) { b.page.OpenFile(jsFile{field.Get("files").Index(0)}) })
	field.Call("click")
}

// jsFile is a file of the browser.
type jsFile struct{ v js.Value }

func (f jsFile) Name() string { return f.v.Get("name").String() }
func (f jsFile) Size() int    { return f.v.Get("size").Int() }

func (f jsFile) Read(from, to int, done func(data []byte, failed string)) {
	settlesWith(f.v.Call("slice", from, to).Call("arrayBuffer"), func(v js.Value, failed string) {
		if failed != "" {
			done(nil, "the file can't be read: "+failed)
			return
		}
		array := js.Global().Get("Uint8Array").New(v)
		data := make([]byte, array.Length())
		js.CopyBytesToGo(data, array)
		done(data, "")
	})
}

// largestFile is the maximum size of an imported file, in bytes.
const largestFile = 1 << 20

// read passes the text of a file to take, or why it could not be read.
func read(file js.Value, take func(text, failed string)) {
	if size := file.Get("size").Int(); size > largestFile {
		go take("", "the file has "+words.Count(size)+" bytes; the limit is "+words.Count(largestFile))
		return
	}
	var yes, no js.Func
	settled := func(f func(v js.Value)) js.Func {
		return js.FuncOf(func(_ js.Value, args []js.Value) any {
			yes.Release()
			no.Release()
			f(args[0])
			return nil
		})
	}
	yes = settled(func(v js.Value) { take(v.String(), "") })
	no = settled(func(v js.Value) { take("", "the file can't be read: "+v.Get("message").String()) })
	file.Call("text").Call("then", yes, no)
}
