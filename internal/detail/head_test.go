package detail

import (
	"strings"
	"testing"

	"watchglass/internal/document"
)

// TestDefaultContainer reads which container is meant, wherever a kind keeps its pods'
// annotations; of one that is not there nothing is said.
func TestDefaultContainer(t *testing.T) {
	const pod = `"metadata":{"annotations":{"kubectl.kubernetes.io/default-container":"%"}},"spec":{"initContainers":[{"name":"init"}],"containers":[{"name":"web"},{"name":"side"}]}`
	for _, c := range []struct{ kind, before, after string }{
		{"Pod", `{`, `}`},
		{"Deployment", `{"spec":{"template":{`, `}}}`},
		{"CronJob", `{"spec":{"jobTemplate":{"spec":{"template":{`, `}}}}}`},
	} {
		for noted, want := range map[string]string{"side": "side", "init": "init", "gone": "", "": ""} {
			v, err := document.Parse([]byte(c.before + strings.Replace(pod, "%", noted, 1) + c.after))
			if err != nil {
				t.Fatal(err)
			}
			h := Head{Kind: c.kind}
			if h.Describe(v); h.Default != want || len(h.Containers) != 3 {
				t.Errorf("%s, %q: %+v", c.kind, noted, h)
			}
		}
	}
}
