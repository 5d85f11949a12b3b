package dom

import (
	"encoding/json"
	"time"

	"watchglass/web/route"
)

// momentOf returns the moment in a script's arguments: RFC 3339, milliseconds, or null for now.
func momentOf(args []byte) (at time.Time, failed string) {
	var list []any
	if json.Unmarshal(args, &list) != nil || len(list) == 0 || list[0] == nil {
		return at, ""
	}
	switch v := list[0].(type) {
	case float64:
		return time.UnixMilli(int64(v)), ""
	case string:
		if nanos := route.ParseTime(v); nanos != 0 {
			return time.Unix(0, nanos), ""
		}
	}
	return at, "invalid time: use RFC 3339, or milliseconds since 1970"
}
