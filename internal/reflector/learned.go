package reflector

// learned is what is known of the abilities of the server, and of whatever is between it and the
// tab. It outlives lists and watches.
type learned struct {
	pages     paging    // how much of a list arrives at once; until a list is complete
	bypass    bypass    // whether watch-lists work; until a list is complete, or for some minutes
	unready   unready   // whether the server has a cache of the resource; until a watch is open
	unwatched unwatched // why the source cannot be watched; until a watch is open
	unserved  int       // watches in a row that failed on the way
	held      held      // what of a watch may be buffered on the way; until something disproves it
	bookmarks bookmarks // whether they come; for good
	mending   mending   // how soon a list may follow an unreadable event; for good
}

// bookmarks is whether the watches of a source have bookmarks.
type bookmarks struct {
	sent   bool // at least one has come
	missed int  // short watches in a row that ended without one, as long as none has come
}

// watchOpened forgets what an open watch disproves.
func (r *Reflector[T]) watchOpened() {
	r.learned.unwatched, r.learned.unserved, r.learned.unready = unwatched{}, 0, unready{}
	r.lastList.unfollowed = false
}
