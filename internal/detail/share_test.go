package detail

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"watchglass/internal/document"
)

func mustParse(t testing.TB, doc string) document.Value {
	t.Helper()
	v, err := document.Parse([]byte(doc))
	if err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	return v
}

// percentOf computes a share in exact arithmetic, from the quantities' own text.
func percentOf(t *testing.T, part, whole string) int64 {
	t.Helper()
	a, b := resource.MustParse(part), resource.MustParse(whole)
	p, q := new(big.Rat), new(big.Rat)
	if _, ok := p.SetString(a.AsDec().String()); !ok {
		t.Fatal(part)
	}
	if _, ok := q.SetString(b.AsDec().String()); !ok {
		t.Fatal(whole)
	}
	p.Mul(p, big.NewRat(100, 1)).Quo(p, q)
	return new(big.Int).Quo(p.Num(), p.Denom()).Int64()
}

// quotaOf returns a quota as JSON.
func quotaOf(t *testing.T, used, hard map[string]string) string {
	t.Helper()
	doc, err := json.Marshal(map[string]any{
		"kind": "ResourceQuota", "apiVersion": "v1", "metadata": map[string]any{"name": "q", "namespace": "shop"},
		"status": map[string]any{"used": used, "hard": hard},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(doc)
}

// quotaCases have used and hard amounts, in the units people write them in.
var quotaCases = []struct{ resource, used, hard, tone string }{
	{"requests.cpu", "750m", "2", Quiet},
	{"limits.cpu", "1900m", "2", Warning},
	{"requests.memory", "1536Mi", "4Gi", Quiet},
	{"limits.memory", "4Gi", "4Gi", Failed},
	{"requests.nvidia.com/gpu", "1", "3", Quiet},
	{"count/deployments.apps", "12", "10", Failed},
	{"fast.storageclass.storage.k8s.io/requests.storage", "1T", "9Ti", Quiet},
	{"pods", "0", "10", Quiet},
	{"services", "29", "100", Quiet}, // 28.999… in floats
	{"requests.storage", "8P", "9P", Quiet},
}

// TestQuotaShares compares the share of every resource of a quota, on its own and in its
// namespace, with arithmetic of its own.
func TestQuotaShares(t *testing.T) {
	used, hard := map[string]string{}, map[string]string{}
	for _, c := range quotaCases {
		used[c.resource], hard[c.resource] = c.used, c.hard
	}
	quota := quotaOf(t, used, hard)
	namespace := Summarize(mustParse(t, `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"shop"}}`), More{Objects: map[string][]document.Value{"quotas": {mustParse(t, quota)}}})
	for title, lines := range map[string][]string{"Quota": spoken(Summarize(mustParse(t, quota), More{})), "Resource quotas/q": spoken(namespace)} {
		for _, c := range quotaCases {
			share := fmt.Sprint(percentOf(t, c.used, c.hard), "%")
			if c.tone != Quiet {
				share = c.tone + "{" + share + "}"
			}
			for column, want := range map[string]string{"Used": c.used, "Hard": c.hard, "Share": share} {
				if line := title + "/[" + c.resource + "]." + column + ": " + want; !slices.Contains(lines, line) {
					t.Errorf("no %q in\n%s", line, strings.Join(lines, "\n"))
				}
			}
		}
	}
}

// TestQuotaWithoutShare shows amounts that have no share: a quota that allows none of a
// resource, which needs nobody's attention while it is unused, and amounts beyond what is
// counted.
func TestQuotaWithoutShare(t *testing.T) {
	for _, c := range []struct{ used, hard, want string }{{"0", "0", ""}, {"3", "0", "failed{over}"}, {"3E", "9E", ""}, {"1", "9E", ""}, {"?", "9", "0%"}} {
		lines := spoken(Summarize(mustParse(t, quotaOf(t, map[string]string{"pods": c.used, "services": "1"}, map[string]string{"pods": c.hard, "services": "2"})), More{}))
		if line := "Quota/[pods].Share: " + c.want; !slices.Contains(lines, line) {
			t.Errorf("%s of %s: no %q in %q", c.used, c.hard, line, lines)
		}
	}
}

// TestNodeShares compares what the pods of a node ask for, and its share of what the node
// has, with arithmetic of its own, over random amounts.
func TestNodeShares(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		allocatable := map[string]string{"cpu": fmt.Sprint(1+random.IntN(64)) + "000m", "memory": fmt.Sprint(1+random.IntN(256)) + "Gi", "nvidia.com/gpu": "8"}
		sums := map[string]*resource.Quantity{}
		var pods []document.Value
		for i := range 1 + random.IntN(5) {
			asks := map[string]string{"cpu": fmt.Sprint(random.IntN(4000)) + "m", "memory": fmt.Sprint(random.IntN(4096)) + "Mi", "nvidia.com/gpu": fmt.Sprint(random.IntN(2))}
			for name, amount := range asks {
				if sums[name] == nil {
					sums[name] = new(resource.Quantity)
				}
				sums[name].Add(resource.MustParse(amount))
			}
			pods = append(pods, document.Of(map[string]any{
				"metadata": map[string]any{"name": fmt.Sprint("p", i), "namespace": "shop"},
				"spec":     map[string]any{"containers": []any{map[string]any{"name": "c", "resources": map[string]any{"requests": anyOfTexts(asks)}}}},
			}))
		}
		node := document.Of(map[string]any{"kind": "Node", "apiVersion": "v1", "metadata": map[string]any{"name": "n"}, "status": map[string]any{"allocatable": anyOfTexts(allocatable)}})
		lines := spoken(Summarize(node, More{Objects: map[string][]document.Value{"pods": pods}}))
		for name, whole := range allocatable {
			want := fmt.Sprintf("Allocated resources/[%s].Requests: %s (%d%%)", name, sums[name], percentOf(t, sums[name].String(), whole))
			if !slices.Contains(lines, want) {
				t.Errorf("no %q of %s in\n%s", want, whole, strings.Join(lines, "\n"))
			}
		}
	}
}

func anyOfTexts(texts map[string]string) map[string]any {
	out := map[string]any{}
	for key, text := range texts {
		out[key] = text
	}
	return out
}
