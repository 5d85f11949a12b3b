package recording

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
)

// Read reads a compressed file. It reads the intact part of a damaged one. It calls pause between pieces,
// and stops at an error of pause.
func Read(file io.Reader, pause func() error) (*Recording, error) {
	z, err := gzip.NewReader(bufio.NewReader(file))
	if err != nil {
		return nil, readError(err, true)
	}
	var r Reader
	piece := make([]byte, sectionSize)
	for {
		n, err := z.Read(piece)
		if broken := r.Write(piece[:n]); broken != nil {
			return r.Close("")
		}
		if err == nil {
			err = pause()
		}
		if errors.Is(err, io.EOF) {
			return r.Close("")
		}
		if err != nil {
			cause := readError(err, false)
			if errors.Is(cause, errTooFew) || errors.Is(cause, errDamaged) {
				return r.Close(cause.Error())
			}
			return nil, err
		}
	}
}

// ReadPlain reads an intact file that the browser has decompressed and whose checksum it has compared. It keeps
// data. Like Read, it calls pause between sections, and stops at an error of pause.
func ReadPlain(data []byte, pause func() error) (*Recording, error) {
	r := Reader{compared: true}
	if err := r.accept(len(data)); err != nil {
		return nil, err
	}
	for r.rest = data; r.next(); {
		if err := pause(); err != nil {
			return nil, err
		}
	}
	if r.broken != nil || !r.ended || len(r.rest) > 0 {
		return nil, errDamaged
	}
	return r.Close("")
}

var (
	errTooFew  = errors.New("the file ends too early")
	errDamaged = errors.New("the file is damaged")
)

// readError translates an error of gzip; it returns other errors unchanged.
func readError(err error, begin bool) error {
	switch {
	case begin && (errors.Is(err, io.EOF) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF)):
		return ErrFormat
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errTooFew
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		return errDamaged
	}
	if corrupt := flate.CorruptInputError(0); errors.As(err, &corrupt) {
		return errDamaged
	}
	return err
}
