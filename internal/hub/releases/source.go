package releases

import (
	"context"
	"strings"
	"sync"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/detail/related"
	"watchglass/internal/object"
	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

// Source answers requests for releases from the Secrets of a server. It serves one Reflector: a watch
// goes on from what its list, or the watch before, came to.
type Source struct {
	secrets reflector.Source
	current book // as of the last event of the last watch; for the goroutine that watches

	mu     sync.Mutex // audits list in the background
	pages  book       // what the pages of a list have had so far
	listed book       // the last complete list
	at     string     // its version
}

// New returns a Source that reads the Secrets from another one.
func New(secrets reflector.Source) *Source { return &Source{secrets: secrets, current: make(book)} }

// Open opens the stream of a list or of a watch.
func (s *Source) Open(ctx context.Context, r wire.Request) (reflector.Stream, error) {
	secrets, err := s.secrets.Open(ctx, request(r))
	if err != nil {
		return nil, err
	}
	of := rowStream{Stream: secrets, decoder: object.NewMetadataDecoder()}
	if r.Verb == wire.List {
		return &list{rowStream: of, book: s.page(r), touched: make(book), paged: s.paged}, nil
	}
	if r.SendInitialEvents {
		s.current = make(book)
	} else {
		s.goOn(r.ResourceVersion)
	}
	return &watch{rowStream: of, book: s.current, initial: r.SendInitialEvents, touched: make(book), flushed: time.Now()}, nil
}

// request returns the request for the Secrets: for their metadata alone, which has no values.
func request(r wire.Request) wire.Request {
	labels := owner
	if name, one := strings.CutPrefix(r.FieldSelector, related.ByName); one {
		labels += ",name=" + selectable(name)
	}
	if r.LabelSelector != "" {
		labels += "," + r.LabelSelector
	}
	r.Group, r.Version, r.Resource, r.Encoding = "", "v1", "secrets", wire.EncodingMetadata
	r.LabelSelector, r.FieldSelector = labels, ""
	return r
}

// owner selects Helm's Secrets.
const owner = "owner=helm"

// selectable returns the name of a release for a selector; empty, which no release has, if no release can
// have it.
func selectable(name string) string {
	if !detail.IsReleaseName(name) {
		return ""
	}
	return name
}

// page returns the book of a list that begins, or goes on with another page.
func (s *Source) page(r wire.Request) book {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Continue == "" || s.pages == nil {
		return make(book)
	}
	return s.pages
}

// paged keeps the book of a list of which a page is complete.
func (s *Source) paged(b book, meta wire.ListMeta) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if meta.Continue != "" {
		s.pages = b
		return
	}
	s.pages, s.listed, s.at = nil, b, meta.ResourceVersion
}

// goOn makes the current book that of a version, if that is the version of the last list.
func (s *Source) goOn(version string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listed != nil && s.at == version {
		s.current, s.listed = s.listed, nil
	}
}
