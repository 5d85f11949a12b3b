package shelf

import "watchglass/internal/wire"

// The types of changes.
const (
	added    = wire.Added
	modified = wire.Modified
	deleted  = wire.Deleted
)
