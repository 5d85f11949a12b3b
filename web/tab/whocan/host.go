package whocan

import (
	"watchglass/internal/quote"
	"watchglass/web/tab"
)

// Host is what the tab needs of the page, beside what all tabs need.
type Host interface {
	tab.Host
	// ListNamespaces returns the namespaces of the list on screen; none means all.
	ListNamespaces() []string
	// Shell returns the shell that commands are quoted for.
	Shell() quote.Shell
}
