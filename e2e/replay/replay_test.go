package replay

import (
	_ "embed"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

var update = flag.Bool("update", false, "write down what is on screen")

func TestMain(m *testing.M) {
	flag.Parse()
	os.Setenv("TZ", "UTC") // the browser's
	os.Exit(stage.Main(m, stage.Options{Alone: true}))
}

//go:embed shown.js
var shown string

// later has the page opened a year after now, whatever the day is: times of the recording always have
// their dates, and nothing may count from today.
const later = `(() => {
	const year = 365 * 24 * 3600e3;
	Date = class extends Date {
		constructor(...parts) { parts.length ? super(...parts) : super(Date.now()); }
		static now() { return super.now() + year; }
	};
})()`

// serve publishes the page with the recordings, each below a path of its name.
func serve(t *testing.T) (address string) {
	t.Helper()
	binary, err := proxy.Binary()
	if err != nil {
		t.Fatal(err)
	}
	const recording = "recording.watchglass"
	dir := filepath.Join(t.TempDir(), "copy")
	recordings, err := filepath.Glob("testdata/*.watchglass")
	if err != nil || len(recordings) == 0 {
		t.Fatal("no recordings: ", err)
	}
	cmd := exec.CommandContext(t.Context(), binary, "page", dir, "--replay", recordings[0])
	cmd.Env = []string{"HOME=" + t.TempDir()}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	page := http.FileServer(http.Dir(dir))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		if rest == recording {
			http.ServeFile(w, r, filepath.Join("testdata", name+".watchglass"))
			return
		}
		http.StripPrefix("/"+name, page).ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// eyes see a recording in the page, at an address of a copy.
type eyes struct {
	stage.Eyes
	name string
}

// open opens a recording.
func open(t *testing.T, site, name string) eyes {
	t.Helper()
	tab, err := stage.Chrome.NewTab()
	if err != nil {
		t.Fatal(err)
	}
	e := eyes{stage.Watch(t, tab), name}
	e.Must(e.First(later))
	e.At(stage.Looks[0])
	e.Must(e.Open(site + "/" + name + "/?view=/pods"))
	e.AwaitState("past")
	return e
}

// goTo goes to an address as a link does.
func (e eyes) goTo(address string) {
	e.T.Helper()
	path, query, _ := strings.Cut(address, "?")
	e.GoTo("/" + e.name + "/?view=" + path + "&" + query)
}

// settled is for how many looks, of 20 ms, a page that is to be written down has to stay as it is: longer than the second
// after which the hub reports again, so that nothing is written down which the next report changes.
const settled = 150

// settle returns what is on screen once it stays.
func (e eyes) settle() (text string) {
	e.T.Helper()
	same := 0
	stage.WaitFor(e.T, "the page stays as it is", func() bool {
		now := stage.Eval[string](e, shown)
		if same++; now != text {
			text, same = now, 0
		}
		return same == settled
	})
	return text
}

// patience is how long a view may take.
const patience = 10 * time.Second

// check compares what is on screen with what has to be.
func (e eyes) check(v View) {
	e.T.Helper()
	text := ""
	if stage.Within(patience, func() bool { text = stage.Eval[string](e, shown); return text == v.Shown }) {
		return
	}
	e.Keep("differs")
	have, want := strings.Split(text, "\n"), strings.Split(v.Shown, "\n")
	e.T.Errorf("%s shows %s. All of it:\n%s", v.Address, stage.FirstDifference(have, want), text)
}

// TestReplays opens each recording, goes to the addresses beside it, and compares what is on screen.
func TestReplays(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(cases) < 5 {
		t.Fatalf("%d cases: %v", len(cases), err)
	}
	site := serve(t)
	for _, path := range cases {
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := Read(path)
			if err != nil {
				t.Fatal(err)
			}
			e := open(t, site, name)
			for i, v := range c.Views {
				e.goTo(v.Address)
				if *update {
					c.Views[i].Shown = e.settle()
				} else {
					e.check(v)
				}
			}
			if *update {
				e.Must(c.Write(path))
			}
		})
	}
}
