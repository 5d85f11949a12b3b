package past

import (
	"watchglass/internal/detail/yaml"
	"watchglass/internal/port"
	"watchglass/web/words"
)

// File is a file that the user has chosen or dropped.
type File interface {
	Name() string
	Size() int
	// Read calls done with the bytes of a range, or with why they can't be read.
	Read(from, to int, done func(data []byte, failed string))
}

const (
	// largestRecording is the maximum size of a recording that the page opens, in bytes.
	largestRecording = 256 << 20
	// pieceSize is how many bytes are read and passed to the hub at a time.
	pieceSize = 512 << 10
)

// openedFile is the recording that the page reads for the hub.
type openedFile struct {
	File
	id     uint32
	sent   int
	failed string
}

// OpenFile opens a recording that the user has chosen or dropped.
func (p *Past) OpenFile(f File) { p.passFile(f, p.read) }

// openPublished opens the recording that was published with the page, which the hub reads without the page
// if it is intact.
func (p *Past) openPublished(f File) {
	p.passFile(f, func(f *openedFile) { p.host.Send(port.Piece{ID: f.id, Published: true}) })
}

// passFile opens a file, which pass passes to the hub.
func (p *Past) passFile(f File, pass func(*openedFile)) {
	p.dropFile()
	p.lastFile++
	p.file = &openedFile{File: f, id: fileID + p.lastFile}
	switch size := f.Size(); {
	case size == 0:
		p.file.failed = "the file is empty"
	case size > largestRecording:
		p.file.failed = "the file has " + words.Count(size) + " bytes; the limit is " + words.Count(largestRecording)
	default:
		pass(p.file)
	}
	p.host.Redraw()
}

// fileID is the first ID of opened files. They must differ from the IDs of saved files.
const fileID = 1 << 20

// read passes the rest of a file to the hub piece by piece, until another file replaces it.
func (p *Past) read(f *openedFile) {
	to := min(f.sent+pieceSize, f.Size())
	f.Read(f.sent, to, func(data []byte, failed string) {
		p.host.Locked(func() {
			switch {
			case p.file != f:
				return
			case failed == "" && len(data) != to-f.sent:
				failed = "the file changed while it was being read"
			}
			if failed != "" {
				p.host.Send(port.Piece{ID: f.id, Last: true, Error: failed})
				f.failed = failed
				p.host.Redraw()
				return
			}
			f.sent = to
			p.host.Send(port.Piece{ID: f.id, Last: to == f.Size(), Data: data})
			p.host.RedrawSoon()
			if to < f.Size() {
				p.read(f)
			}
		})
	})
}

// dropFile stops reading a file, or closes the message that it could not be opened.
func (p *Past) dropFile() {
	if f := p.file; f != nil && f.failed == "" {
		p.host.Send(port.Piece{ID: f.id, Last: true, Error: "closed before it was read"})
	}
	p.file = nil
	p.host.Redraw()
}

// OnPiece handles the hub's answer about an opened file. It reports whether the piece is one.
func (p *Past) OnPiece(m port.Piece) bool {
	if m.ID < fileID {
		return false
	}
	switch f := p.file; {
	case f == nil || f.id != m.ID:
	case m.Published:
		p.read(f)
	case m.Error != "":
		f.failed = m.Error
		p.host.Redraw()
	}
	return true
}

// words returns how much of the file was read, or why it can't be opened.
func (f *openedFile) words() (title, text string) {
	name := yaml.Visible(words.CutName(f.Name()))
	if f.failed != "" {
		return "Can't open " + name, words.Sentence(yaml.Visible(f.failed)) + "."
	}
	return "Opening " + name, words.Count(100*f.sent/max(f.Size(), 1)) + " %"
}
