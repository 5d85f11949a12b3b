package stage

import (
	"fmt"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/browser"
)

// AwaitQuery waits until a parameter of the address has a value.
func (e Eyes) AwaitQuery(name, value string) {
	e.T.Helper()
	e.Await(fmt.Sprintf(`(new URLSearchParams(location.search).get(%q) ?? "") === %q`, name, value))
}

// AwaitCount waits until the list has so many rows.
func (e Eyes) AwaitCount(n int) {
	e.T.Helper()
	e.Await(fmt.Sprintf(`document.querySelector("[role=grid]").getAttribute("aria-rowcount") === "%d"`, n+1))
}

// Source describes one source of the tab.
type Source struct {
	State, Version   string
	Objects          int
	Resumes, Relists int
}

// Source returns the source of the tab, once that has only one.
func (e Eyes) Source() Source {
	e.T.Helper()
	return e.AwaitSource(func(Source) bool { return true })
}

// AwaitSource waits until the tab has only one source, which is right, and returns it.
func (e Eyes) AwaitSource(right func(Source) bool) (only Source) {
	e.T.Helper()
	AwaitValue(e, browser.Inspected, func(i browser.Inspection) bool {
		if len(i.Sources) != 1 {
			return false
		}
		one := i.Sources[0]
		only = Source{one.State, one.ResourceVersion, one.Objects, one.Resumes, one.Relists}
		return right(only)
	})
	return only
}

// Compare fails the test if a snapshot is not what the apiserver lists at its version.
func Compare(t *testing.T, s browser.Snapshot) {
	t.Helper()
	list, err := Admin.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{
		ResourceVersion: s.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact,
	})
	if err != nil {
		t.Fatalf("list at %s: %v", s.ResourceVersion, err)
	}
	want := make([]string, 0, len(list.Items))
	for _, pod := range list.Items {
		want = append(want, fmt.Sprint(pod.Namespace, "/", pod.Name, " ", pod.UID, " ", pod.ResourceVersion))
	}
	have := make([]string, 0, len(s.Items))
	for _, i := range s.Items {
		have = append(have, fmt.Sprint(i.Namespace, "/", i.Name, " ", i.UID, " ", i.ResourceVersion))
	}
	slices.Sort(want)
	slices.Sort(have)
	if !slices.Equal(want, have) {
		t.Fatalf("at version %s the tab has %d objects and the apiserver %d; the first that differ: %s", s.ResourceVersion, len(have), len(want), FirstDifference(have, want))
	}
}

// AwaitPods waits until the tab has the version that the apiserver is at, and its list has exactly the pods that the
// apiserver lists: none is missing, and none has outlived its object. Nobody may begin a write meanwhile.
func (e Eyes) AwaitPods() {
	e.T.Helper()
	var have, want []string
	var newest string
	same := func() bool {
		want, newest = listed(e.T) // anew each time: a write that was given up may still take effect
		have = nil
		for _, row := range e.Rows().Rows {
			have = append(have, row.Key+" "+row.UID)
		}
		slices.Sort(have)
		return slices.Equal(have, want) && Eval[bool](e, fmt.Sprintf(`watchglass.snapshot("pods").then(s => BigInt(s.resourceVersion) >= %sn)`, newest))
	}
	if !Within(Soon, same) {
		if slices.Equal(have, want) {
			e.T.Fatalf("the tab does not reach version %s", newest)
		}
		e.T.Fatalf("on screen are %d rows of %d pods; %s", len(have), len(want), FirstDifference(have, want))
	}
	e.AwaitCount(len(want))
}

// listed returns the pods that the apiserver lists, sorted, and the newest of their versions.
func listed(t *testing.T) (pods []string, newest string) {
	t.Helper()
	list, err := Admin.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	newest = "0"
	for _, pod := range list.Items {
		pods = append(pods, pod.Namespace+"/"+pod.Name+" "+string(pod.UID))
		if v := pod.ResourceVersion; len(v) > len(newest) || len(v) == len(newest) && v > newest {
			newest = v
		}
	}
	slices.Sort(pods)
	return pods, newest
}

// FirstDifference describes the first place in which two lists differ.
func FirstDifference(have, want []string) string {
	for i := range min(len(have), len(want)) {
		if have[i] != want[i] {
			return fmt.Sprintf("%q instead of %q", have[i], want[i])
		}
	}
	return "one has more at the end"
}
