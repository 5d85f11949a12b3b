package whocan

import (
	"watchglass/internal/quote"
	"watchglass/web/tab"
)

// Host is what the tab needs of the page beside what all tabs do.
type Host interface {
	tab.Host
	// ListNamespaces returns the namespaces that the list on screen is of; none are all.
	ListNamespaces() []string
	// Shell returns the shell that commands are quoted for.
	Shell() quote.Shell
}
