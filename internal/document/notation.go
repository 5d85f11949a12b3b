package document

// Binary reports whether the quantity is written with Ki, Mi …
func (q Quantity) Binary() bool { return q.binary }

// NewQuantity returns an amount in thousandths, in binary notation or not.
func NewQuantity(milli int64, binary bool) Quantity { return Quantity{milli, binary} }
