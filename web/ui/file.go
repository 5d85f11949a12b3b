package ui

// File is a file that the user has chosen or dropped.
type File interface {
	Name() string
	Size() int
	// Read calls done with the bytes of a range, or with why they can't be read.
	Read(from, to int, done func(data []byte, failed string))
}

// Packer compresses a file. Implementations are pointers, so that Packers can be compared.
type Packer interface {
	// Write adds a chunk, and calls taken when it is ready for the next.
	Write(chunk []byte, taken func())
	// Save downloads the file, and calls done with its size, or with why it failed.
	Save(name string, done func(bytes int, failed string))
}
