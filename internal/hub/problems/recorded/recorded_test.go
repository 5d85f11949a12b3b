//go:build !js

package recorded

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/port"
	"watchglass/internal/relay"
)

// patience is how long the hub may take for the rows of a recording, on its own clock: some wait for a minute after they
// were first seen, and some end soon after, as events grow old.
const patience = 80 * time.Second

// played is a tab that shows a recording, at the time on its clock.
type played struct {
	*Tab
	t      *testing.T
	player *Player
}

// play shows a recording in a bubble.
func play(t *testing.T, name string, test func(p *played, recording *Recording)) {
	t.Helper()
	recording := readRecording(t, name)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(recording.Now()))
		p := &played{t: t, player: new(Player)}
		p.player.Play(recording)
		ctx, cancel := context.WithCancel(t.Context())
		up := relay.Upstream{Base: &url.URL{Scheme: "https", Host: "recorded"}, Transport: p.player}
		tab, wait := Open(ctx, up, "engines.problems.example.com")
		defer func() { cancel(); wait() }()
		p.Tab = tab
		test(p, recording)
	})
}

func readRecording(t *testing.T, name string) *Recording {
	t.Helper()
	recording, err := Read("testdata/" + name + ".gz")
	if err != nil {
		t.Fatal(err)
	}
	return recording
}

func table(t *testing.T, text []byte) []Fault {
	t.Helper()
	faults, err := ReadTable(text)
	if err != nil || len(faults) < 50 {
		t.Fatalf("%d faults: %v", len(faults), err)
	}
	return faults
}

// await waits until the list is live and has exactly the rows of some faults.
func (p *played) await(faults []Fault, names map[string]string) {
	p.t.Helper()
	var all []string
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Second) {
		rows, err := p.Rows()
		if err != nil || p.State() != port.Live {
			continue
		}
		if all = Differences(faults, names, rows); len(all) == 0 {
			return
		}
	}
	p.t.Errorf("%s, %d differences:\n%s", p.State(), len(all), strings.Join(all, "\n"))
}

// TestStates checks that a cluster that is in more than a hundred states at once has exactly their rows.
func TestStates(t *testing.T) {
	play(t, "states", func(p *played, recording *Recording) { p.await(table(p.t, States), recording.Names) })
}

// TestFaults checks that every fault that was raised has its rows and that nothing else has one, and that no row is left
// once they were mended.
func TestFaults(t *testing.T) {
	mended := readRecording(t, "mended")
	play(t, "raised", func(p *played, recording *Recording) {
		p.await(table(p.t, Faults), recording.Names)
		time.Sleep(time.Until(mended.Now()))
		p.player.Play(mended)
		p.await(nil, mended.Names)
	})
}

// TestRollouts checks the rollouts of the overview: rollbacks of a StatefulSet and a DaemonSet, of which a tab has seen
// nothing but what is stored.
func TestRollouts(t *testing.T) {
	play(t, "rollouts", func(p *played, recording *Recording) {
		p.await(nil, nil)
		time.Sleep(time.Second) // the overview follows
		have := make(map[Rollout]bool)
		for _, r := range p.Overview().Rollouts {
			if r.Namespace != recording.Names["rollouts"] || len(r.Images) != 1 || r.Ready == 0 || r.Ready != r.Desired {
				p.t.Errorf("%+v", r)
				continue
			}
			have[Rollout{r.Resource, r.Name, imageName(r.Images[0].From) + " → " + tag(r.Images[0].To)}] = true
		}
		for _, w := range RolledBack {
			if !have[w] {
				p.t.Errorf("no %v among %v", w, have)
			}
		}
	})
}

// imageName returns the name and the tag of "registry.example/app:1": "app 1".
func imageName(image string) string {
	return strings.ReplaceAll(image[strings.LastIndex(image, "/")+1:], ":", " ")
}

func tag(image string) string { return image[strings.LastIndex(image, ":")+1:] }
