package object

// LineCells are the cells of a line. They must not change.
type LineCells interface {
	// LineCell returns the derived cell of a number.
	LineCell(number int) Cell
}

// NewLine returns an object that stands for a group of others in a list. It has derived cells alone,
// which are made when they are read. Its key is a slash and its name, since objects have no such key.
func NewLine(name string, cells LineCells) *Object {
	n := uint32(len(name) + 1)
	return &Object{blob: "/" + name, source: &source{line: cells}, nameAt: 1, keyLen: n, textLen: n, plainLen: n, versionAt: n, timesAt: n}
}
