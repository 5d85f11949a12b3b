package facts

import (
	"strconv"
	"strings"

	"watchglass/internal/object/tone"
	"watchglass/internal/problem/text"
)

// kubeletConditions are those that have rules of their own.
const kubeletConditions = " Ready MemoryPressure DiskPressure PIDPressure NetworkUnavailable "

// BadNodeCondition reports whether a condition says that a node is broken, besides those of the kubelet.
func BadNodeCondition(kind, status string) bool {
	of := tone.OfNodeCondition(kind, status)
	return (of == tone.Failed || of == tone.Warning) && !text.Listed(kubeletConditions, kind)
}

// mostMinor is how many minor versions a kubelet may be older than the server.
const mostMinor = 3

// SkewWords returns what is wrong with a kubelet's version; "" if nothing is.
func SkewWords(version string, server int) string {
	kubelet := minorOf(version)
	switch {
	case kubelet <= 0 || server <= 0:
		return ""
	case kubelet > server:
		return "kubelet " + version + " is newer than the server's 1." + text.Decimal(int64(server))
	case server-kubelet > mostMinor:
		return "kubelet " + version + " is " + text.Decimal(int64(server-kubelet)) + " minor versions older than the server's 1." + text.Decimal(int64(server))
	}
	return ""
}

// minorOf returns the minor version of "v1.36.3"; 0 if there is none.
func minorOf(version string) int {
	rest, ok := strings.CutPrefix(version, "v1.")
	minor, _, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(minor)
	if !ok || err != nil {
		return 0
	}
	return n
}
