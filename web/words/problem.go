package words

import "watchglass/internal/view"

// Instead says what is in force instead of an invalid part of the query; "" if the error says enough.
func Instead(p view.Problem) string {
	none, some := "", "Applied: "
	switch p.Part {
	case view.PartFilter:
		none, some = "No filter is applied.", "Filtered by: "
	case view.PartLabels:
		none = "No label selector is applied."
	case view.PartGroup:
		none, some = "Not grouped.", "Grouped by "
	}
	if p.InForce == "" {
		return none
	}
	return some + p.InForce + "."
}
