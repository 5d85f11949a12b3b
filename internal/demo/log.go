//go:build !js

package demo

import (
	"fmt"
	"hash/fnv"
	"time"

	corev1 "k8s.io/api/core/v1"

	"watchglass/internal/demo/api"
)

// logFormats are the log lines that containers write.
var logFormats = []string{
	`{"level":"info","msg":"request","method":"GET","path":"/v1/items/%d","status":200,"ms":%d}`,
	`{"level":"info","msg":"request","method":"POST","path":"/v1/orders","status":201,"bytes":%d,"ms":%d}`,
	`{"level":"info","msg":"request","method":"GET","path":"/readyz","status":200,"n":%d,"ms":%d}`,
	`{"level":"debug","msg":"cache hit","key":"item:%d","ms":%d}`,
	`{"level":"info","msg":"flushed","records":%d,"ms":%d}`,
	`{"level":"warn","msg":"slow query","rows":%d,"ms":%d00}`,
	`{"level":"error","msg":"upstream reset, trying again","attempt":%d,"ms":%d}`,
}

// logOf returns a container's log. Line n depends only on the pod's UID, the container and n.
func logOf(pod *corev1.Pod, container string) api.Log {
	h := fnv.New64a()
	_, _ = h.Write([]byte(string(pod.UID) + container))
	seed := h.Sum64()
	return api.Log{
		Every: time.Duration(300+seed%2700) * time.Millisecond,
		Line: func(n int) string {
			if n == 0 {
				return fmt.Sprintf(`{"level":"info","msg":"starting","container":%q,"pod":%q}`, container, pod.Name)
			}
			x := (seed ^ uint64(n)*0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
			x ^= x >> 31
			format := logFormats[min(x%19, x%7, x>>8%9)]
			return fmt.Sprintf(format, x>>16%100_000, x>>40%240+1)
		},
	}
}
