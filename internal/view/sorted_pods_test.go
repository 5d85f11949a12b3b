//go:build !js

package view

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/internal/columns"
	"watchglass/internal/object"
)

// BenchmarkFirstSort sorts 100,000 pods (or as many as -objects says) by a column that nobody has sorted by. Facets is what their facets cost to read, and
// what is read beside them.
func BenchmarkFirstSort(b *testing.B) {
	m := newPodMaker(b)
	var all []*object.Object
	for i := range *many {
		all = append(all, m.pod(func(p *corev1.Pod) {
			p.Namespace, p.Name, p.Status.Phase = fmt.Sprintf("team-%02d", i%40), fmt.Sprintf("service-%d-%x-%d", i%300, i*7919, i), corev1.PodRunning
			p.Spec.NodeName, p.CreationTimestamp = fmt.Sprint("n", i%500), metav1.Unix(now.Unix()-int64(i*7919%1_000_000), 0)
			p.Status.PodIP = fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255)
			p.Spec.Containers = []corev1.Container{{Name: "app", Image: fmt.Sprint("app:", i%300)}}
		}))
	}
	v := started(all)
	v.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true, Images: true, Kind: "Pod"})
	v.SetQuery(Query{Limit: 50})
	v.Step(now)
	for _, column := range []string{"", "Name", "Age", "Restarts", "Status", "Node", "IP"} {
		b.Run(column, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				v.facets.texts = newTexts(&v.table, v.shape, new(columns.Dictionaries))
				v.applyQuery()
				v.facets.replace(newFacets(v.shape, nil))
				if column != "" {
					v.facets.work(1 << 30)
				}
				b.StartTimer()
				if column == "" {
					v.facets.work(1 << 30)
					continue
				}
				v.SetQuery(Query{Seq: uint32(i), Limit: 50, Sort: column, Descending: i%2 == 0})
				v.Step(now)
			}
		})
	}
}
