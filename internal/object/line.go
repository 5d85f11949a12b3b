package object

// NewLine returns an object that stands for a group of others in a list. It has derived cells alone.
// Its key is a slash and its name, since objects have no such key.
func NewLine(name string, cells []Cell) *Object {
	n := uint32(len(name) + 1)
	return &Object{blob: "/" + name, source: &source{cells: cells}, nameAt: 1, keyLen: n, textLen: n, plainLen: n, versionAt: n, timesAt: n}
}
