package past

import (
	"encoding/json"

	"watchglass/internal/detail/yaml"
	"watchglass/internal/port"
	"watchglass/web/ui"
	"watchglass/web/words"
)

const (
	// largestRecording is the maximum size of a recording that the page opens, in bytes.
	largestRecording = 256 << 20
	// chunkSize is how many bytes are read and passed to the hub at a time.
	chunkSize = 512 << 10
)

// openedFile is the recording that the page reads for the hub.
type openedFile struct {
	ui.File
	id      uint32 // of the transfer
	pulls   int    // chunks that the hub waits for
	reading bool
	sent    int // bytes
	failed  string
}

// OpenFile opens a recording, which replaces the one on screen.
func (p *Past) OpenFile(f ui.File) { p.openFile(f, false) }

// openPublished opens the recording that was published with the page, which the hub reads without the page
// if it is intact.
func (p *Past) openPublished(f ui.File) { p.openFile(f, true) }

func (p *Past) openFile(of ui.File, published bool) {
	p.dropFile()
	f := &openedFile{File: of}
	p.file = f
	switch size := f.Size(); {
	case size == 0:
		f.failed = "the file is empty"
	case size > largestRecording:
		f.failed = "the file has " + words.Count(size) + " bytes; the limit is " + words.Count(largestRecording)
	default:
		args, _ := json.Marshal([]any{map[string]any{"size": size, "published": published}}) // a number and a bool
		f.id = p.host.Transfer("recording.open", args, port.Transfer{Pull: func() { f.pulls++; p.read(f) }}, func(a port.Answer) {
			if f.failed = a.Error; p.file == f {
				p.host.Redraw()
			}
		})
	}
	p.host.Redraw()
}

// read sends the hub the next part of a file, if it waits for one, until another file replaces it.
func (p *Past) read(f *openedFile) {
	to := min(f.sent+chunkSize, f.Size())
	if f.reading || f.pulls == 0 || f.sent == to {
		return
	}
	f.reading = true
	f.Read(f.sent, to, func(data []byte, failed string) {
		p.host.Locked(func() {
			f.reading = false
			switch {
			case p.file != f || f.failed != "":
				return
			case failed == "" && len(data) != to-f.sent:
				failed = "the file changed while it was being read"
			}
			if failed != "" {
				p.host.Cancel(f.id)
				f.failed = failed
				p.host.Redraw()
				return
			}
			f.sent, f.pulls = to, f.pulls-1
			p.host.Send(port.Chunk{ID: f.id, Data: data})
			p.host.RedrawSoon()
			p.read(f)
		})
	})
}

// dropFile stops reading a file, or closes the message that it could not be opened.
func (p *Past) dropFile() {
	if p.file != nil {
		p.host.Cancel(p.file.id)
	}
	p.file = nil
	p.host.Redraw()
}

// words returns how much of the file was read, or why it can't be opened.
func (f *openedFile) words() (title, text string) {
	name := yaml.Visible(words.CutName(f.Name()))
	if f.failed != "" {
		return "Can't open " + name, words.Sentence(yaml.Visible(f.failed)) + "."
	}
	return "Opening " + name, words.Count(100*f.sent/max(f.Size(), 1)) + " %"
}
