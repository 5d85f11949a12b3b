package detail

import (
	"slices"
	"strings"
	"testing"

	"watchglass/internal/document"
)

// TestPorts checks that only TCP ports count as ports that can be forwarded to.
func TestPorts(t *testing.T) {
	for kind, doc := range map[string]string{
		"Pod":     `{"spec":{"containers":[{"ports":[{"containerPort":9102},{"containerPort":8125,"protocol":"UDP"},{"containerPort":53,"protocol":"UDP"},{"containerPort":53,"protocol":"TCP"},{"containerPort":7,"protocol":"SCTP"}]}]}}`,
		"Service": `{"spec":{"ports":[{"port":9102},{"port":8125,"protocol":"UDP"},{"port":53,"protocol":"TCP"}]}}`,
	} {
		v, err := document.Parse([]byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		h := Head{Kind: kind}
		if h.Describe(v); !slices.Equal(h.Ports, []Port{{Number: 9102}, {Number: 53}}) {
			t.Errorf("%s: %v", kind, h.Ports)
		}
	}
}

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
