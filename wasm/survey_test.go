package main

import (
	"fmt"
	"strings"
	"testing"

	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// surveyed is what the page was told last, and how often.
func (b *bench) surveyed() string {
	b.page.mu.Lock()
	defer b.page.mu.Unlock()
	var ids []string
	if n := len(b.page.kinds); n > 0 {
		for _, k := range b.page.kinds[n-1] {
			ids = append(ids, k.ID)
		}
	}
	return fmt.Sprint(len(b.page.kinds), " ", strings.Join(ids, " "))
}

// install has the server serve a kind; define says so among the definitions.
func (b *bench) install(kinds ...string) {
	b.proxy.mu.Lock()
	defer b.proxy.mu.Unlock()
	b.proxy.served = kinds
}

func (b *bench) define(name string) {
	b.proxy.change(wire.Added, thing{resource: definitions.Resource, name: name})
}

// TestSurvey shows that the page is told of kinds as they come and go, and of
// nothing that it knows.
func TestSurvey(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *bench) {
		b.proxy.said()
		b.page.in <- port.Survey{}
		b.wait(soon)
		if got := b.surveyed(); got != "1 pods" {
			t.Error(got)
		}
		b.wantAsked("list customresourcedefinitions, discover, close discover, discover, close discover, watch customresourcedefinitions at 3")
		b.install("widgets")
		b.define("widgets")
		b.wait(soon)
		if got := b.surveyed(); got != "2 pods widgets.example.com" {
			t.Error(got)
		}
		b.define("racks") // and not served yet
		b.wait(soon)
		b.install("widgets", "racks")
		b.wait(2 * surveySoon)
		if got := b.surveyed(); got != "3 pods widgets.example.com racks.example.com" {
			t.Error(got)
		}
		b.proxy.said()
		b.wait(surveyPatient / 2)
		b.wantAsked("")
		b.page.in <- port.Survey{} // a second time changes nothing
		b.wait(soon)
		b.wantAsked("")
		b.install()
		b.wait(surveyPatient) // nobody tells what another server serves
		if got := b.surveyed(); got != "4 pods" {
			t.Error(got)
		}
	})
}

// TestSurveyBlind shows a user who may not read the definitions.
func TestSurveyBlind(t *testing.T) {
	p := three()
	p.deny = forbids(func(r wire.Request) bool { return r.Resource == definitions.Resource })
	onPods(t, p, func(t *testing.T, b *bench) {
		b.page.in <- port.Survey{}
		b.wait(soon)
		b.install("widgets")
		b.wait(surveyBlind)
		if got := b.surveyed(); got != "2 pods widgets.example.com" {
			t.Error(got)
		}
	})
}

// TestSurveyAway shows that the survey goes on when the proxy comes back.
func TestSurveyAway(t *testing.T) {
	onDesk(t, three(), func(t *testing.T, b *bench) {
		b.page.in <- port.Survey{}
		b.wait(soon)
		b.proxy.leave(true)
		b.wait(surveyBlind)
		b.install("widgets")
		b.proxy.leave(false)
		b.wait(surveyBlind)
		if got := b.surveyed(); got != "2 pods widgets.example.com" {
			t.Error(got)
		}
	})
}

// TestHeld shows that what was looked at lately is counted still.
func TestHeld(t *testing.T) {
	p := three()
	p.served = []string{"widgets"}
	onDesk(t, p, func(t *testing.T, b *bench) {
		held := func() string {
			b.page.mu.Lock()
			defer b.page.mu.Unlock()
			return fmt.Sprint(b.page.held)
		}
		b.looks("pods", view.Query{Seq: 1})
		b.page.in <- port.Survey{}
		b.wait(soon)
		b.looks("widgets", view.Query{Seq: 2})
		if got := held(); got != "[{pods 3} {widgets.example.com 0}]" {
			t.Error(got)
		}
		b.proxy.change(wire.Added, pod("a", "web3", "Running"))
		b.wait(soon)
		if got := held(); got != "[{pods 4} {widgets.example.com 0}]" {
			t.Error(got)
		}
		b.wait(linger + soon)
		if got := held(); got != "[{widgets.example.com 0}]" {
			t.Error(got)
		}
	})
}
