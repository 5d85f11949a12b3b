package route

// The IDs of the tabs of an object, in addresses. The one of the Timeline tab is TimelineID.
const (
	SummaryID = "summary"
	YAMLID    = "yaml"
	EventsID  = "events"
	RelatedID = "related"
	LogsID    = "logs"
	ChangesID = "changes"
	CompareID = "compare"
	AccessID  = "access" // a kind as a whole has it, too
)

// isTab reports whether an address may name a tab so.
func isTab(id string) bool {
	switch id {
	case SummaryID, YAMLID, EventsID, RelatedID, LogsID, ChangesID, CompareID, AccessID, TimelineID:
		return true
	}
	return false
}
