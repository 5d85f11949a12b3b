//go:build !js

package demo

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"k8s.io/apimachinery/pkg/types"
)

var (
	teams = strings.Fields("checkout payments search catalog identity media orders shipping " +
		"pricing billing accounts reviews mobile growth fraud risk ledger " +
		"notify content insight platform data network storage")
	roles = strings.Fields("web api worker gateway cache consumer scheduler indexer " +
		"exporter sync router auth proxy reporter importer stream queue admin")
	registries = []string{"registry.example.com", "ghcr.io/example", "europe-docker.pkg.dev/example/prod"}
	zones      = []string{"eu-west-1a", "eu-west-1b", "eu-west-1c"}
)

// nameAlphabet is the alphabet of Kubernetes' own random names: no vowels and no characters that
// are easily confused.
const nameAlphabet = "bcdfghjklmnpqrstvwxz2456789"

// suffix returns a random suffix for a name.
func suffix(rng *rand.Rand, length int) string {
	text := make([]byte, length)
	for i := range text {
		text[i] = nameAlphabet[rng.IntN(len(nameAlphabet))]
	}
	return string(text)
}

func hexes(rng *rand.Rand, length int) string {
	return fmt.Sprintf("%016x%016x%016x%016x", rng.Uint64(), rng.Uint64(), rng.Uint64(), rng.Uint64())[:length]
}

// newUID returns a version 4 UUID.
func newUID(rng *rand.Rand) types.UID {
	a, b := rng.Uint64(), rng.Uint64()
	return types.UID(fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", a>>32, a>>16&0xffff, a&0xfff, 0x8000|b>>48&0x3fff, b&0xffffffffffff))
}

// pick returns a random element.
func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }
