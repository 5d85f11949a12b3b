package problemtest

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"watchglass/internal/object"
)

// pb appends fields to a message of protobuf: texts, numbers, and messages. A field of many is a list.
func pb(fields ...any) (out []byte) {
	for i := 0; i < len(fields); i += 2 {
		number := protowire.Number(fields[i].(int))
		switch value := fields[i+1].(type) {
		case int:
			out = protowire.AppendVarint(protowire.AppendTag(out, number, protowire.VarintType), uint64(value))
		case string:
			out = protowire.AppendString(protowire.AppendTag(out, number, protowire.BytesType), value)
		case []byte:
			out = protowire.AppendBytes(protowire.AppendTag(out, number, protowire.BytesType), value)
		case [][]byte:
			for _, one := range value {
				out = protowire.AppendBytes(protowire.AppendTag(out, number, protowire.BytesType), one)
			}
		}
	}
	return out
}

// CrowdAt is the time in the cluster, in unix seconds.
const CrowdAt = 1_795_000_000

// Crowded returns a pod whose containers have failed, as the apiserver sends it: 1,500 are 0.7 MB, and an object has at
// most about twice that. Of each two, one is an init container that waits, or that has completed.
func Crowded(containers int, completed bool) []byte {
	var spec, statuses [2][][]byte
	for i := range containers {
		name, image := fmt.Sprintf("container-%06d", i), fmt.Sprintf("registry.example.com/team/application-%06d:1.2.3", i)
		probe := pb(2, 1, 4, 10) // after 1 s, every 10 s
		spec[i%2] = append(spec[i%2], pb(1, name, 2, image, 7, pb(1, "NAME", 2, "some value"), 11, probe))
		last := pb(3, pb(1, 1+i%250, 3, "Error", 4, "it failed", 5, pb(1, CrowdAt-600), 6, pb(1, CrowdAt-300)))
		now := pb(1, pb(1, "CrashLoopBackOff", 2, "back-off 5m0s restarting failed container"))
		if i%2 == 1 && completed {
			now = pb(3, pb(1, 0, 3, "Completed", 5, pb(1, CrowdAt-600), 6, pb(1, CrowdAt-300)))
		}
		statuses[i%2] = append(statuses[i%2], pb(1, name, 2, now, 3, last, 4, 0, 5, 7, 6, image, 7, fmt.Sprintf("sha256:%064d", i)))
	}
	meta := pb(1, "crowd", 3, "checkout", 5, "u", 6, "1", 8, pb(1, CrowdAt-3600))
	pod := pb(1, meta, 2, pb(2, spec[0], 10, "n1", 20, spec[1]), 3, pb(1, "Pending", 2, pb(1, "Ready", 2, "False", 4, pb(1, CrowdAt-300)), 8, statuses[0], 10, statuses[1]))
	kind, _ := object.Builtin("pods")
	return kind.Wrap(nil, pod)
}
