package past

import (
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail/yaml"
	"watchglass/internal/port"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// KeepOnDisk lets history that does not fit into memory go to disk, or removes what is there.
const KeepOnDisk ui.Action = "disk"

// keepsDisk reports whether this browser keeps history on disk, which is off by default.
func (p *Past) keepsDisk() bool { return p.browser.Recall("disk") == "on" }

// beginDisk sends the hub the saved choice.
func (p *Past) beginDisk() {
	if p.keepsDisk() {
		p.host.Send(port.KeepHistory{Disk: true})
	}
}

// toggleDisk turns history on disk on or off, in all tabs of this browser.
func (p *Past) toggleDisk() {
	on := !p.report.Disk.On
	p.browser.Remember("disk", map[bool]string{true: "on"}[on])
	p.report.Disk.On, p.report.Disk.Failed = on, ""
	p.host.Send(port.KeepHistory{Disk: on})
	p.host.Redraw()
}

// DrawDisk draws the entry of the View menu.
func (p *Past) DrawDisk() app.UI {
	d := p.report.Disk
	title, text := "Store older history in this browser, encrypted. Removed when you sign out, close Watchglass or turn this off.", "Keep history on disk"
	if d.Forbidden {
		title, text = "The proxy was started with --no-disk-history.", "Keep history on disk (disabled by the proxy)"
	}
	return app.Button().Class("menu-item").DataSet("action", KeepOnDisk).Title(title).Attr("aria-pressed", d.On && !d.Forbidden).Disabled(d.Forbidden).Hidden(!d.Can).Body(app.Span().Text(text))
}

// onDisk shows a notice if history can no longer be stored on disk.
func (p *Past) onDisk(before, now port.Disk) {
	if now.Failed != "" && now.Failed != before.Failed {
		p.host.Notify("History is no longer stored on disk: " + yaml.Visible(strings.TrimSuffix(now.Failed, ".")) + ". It continues in memory.")
	}
}

// disk returns how much history is on disk, or why none is; "" if this is off.
func (p *Past) disk() string {
	d := p.report.Disk
	switch {
	case d.Forbidden:
		return "disabled by the proxy"
	case !d.On:
		return ""
	case d.Failed != "":
		return "off: " + yaml.Visible(d.Failed)
	}
	out := words.Bytes(float64(d.Bytes)) + " of " + words.Bytes(float64(d.Room)) + ", encrypted"
	if d.Dropped {
		out += ", oldest dropped"
	}
	return out
}

// fromDisk reports whether the moment on screen is older than memory.
func (p *Past) fromDisk() bool {
	d := p.report.Disk
	return d.On && !d.Memory.IsZero() && !p.at.IsZero() && p.at.Before(d.Memory)
}

// MemoryOnly names the features that do not use the history on disk; "" if that makes no difference.
func (p *Past) MemoryOnly() string {
	d := p.report.Disk
	if !d.On || d.Memory.IsZero() || !p.report.From.Before(d.Memory) {
		return ""
	}
	return "Timelines and recordings begin at " + p.Clock(d.Memory) + ": they use memory only."
}
