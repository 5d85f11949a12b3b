//go:build !js

package edge

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// answerJSON writes a complete response before the handler returns.
func answerJSON(w http.ResponseWriter, answer any) {
	body, err := json.Marshal(answer)
	if err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)                      // the client may have gone
	_ = http.NewResponseController(w).Flush() // a test recorder cannot
}
