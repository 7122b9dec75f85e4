package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// helve is updated while a page is open: the page says so, asks for a new link, and is the new one.
func TestAnOldPageAfterAnUpgrade(t *testing.T) {
	chromium(t)
	c := serve(t)
	p := c.open()
	p.view("calls", "No call yet")
	eval[bool](p, `(window.old = true)`)
	at := strings.TrimSuffix(strings.TrimPrefix(c.mcp, "http://"), "/mcp")

	// The same helve, started again: the page stays as it is.
	c.stop()
	p.sees("not connected")
	c.launch(at)
	p.sees("Open the link that helve gave")
	if strings.Contains(p.text(), "updated") || !eval[bool](p, `!!window.old`) {
		t.Errorf("nothing was updated: %s", p.text())
	}
	c.login(p)
	p.sees("Waiting for you")
	eval[bool](p, `(window.old = true)`)

	// Another version with another page.
	c.stop()
	p.sees("not connected")
	c.exe = filepath.Join(c.home, "helve-next")
	const unpacked = `packed.Texts(web)` // the page's files, which the program has compressed
	const changed = `strings.Split(strings.ReplaceAll(string(packed.Bytes(web)), ` +
		`"Nothing waits for an answer.", "Nobody waits for an answer."), "\x00")`
	build(t, c.exe, "-overlay", overlay(t, "server/console/handler.go", unpacked, changed), "-ldflags", "-X helve/internal/version.stamp=99.0.0")
	c.launch(at)
	p.sees("helve was updated")
	p.sees("Open the link that helve gave")
	if eval[bool](p, `!!window.old`) {
		t.Error("the old page goes on")
	}
	p.axe("an updated page")
	c.login(p)
	p.sees("Nobody waits for an answer.")
	p.sees("helve 99.0.0")
	if at := eval[string](p, `location.href`); strings.Contains(at, "token") {
		t.Errorf("the word of the link stays in the address: %s", at)
	}
}

// login opens the link in the tab.
func (c *client) login(p *tab) {
	c.t.Helper()
	eval[string](p, fmt.Sprintf(`location.hash = %q`, c.link[strings.Index(c.link, "#"):]))
}

// overlay has go build see another text in a file of the repository.
func overlay(t *testing.T, file, was, is string) string {
	t.Helper()
	file, err := filepath.Abs(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), was) {
		t.Fatalf("%s has no %q: %v", file, was, err)
	}
	dir := t.TempDir()
	other, list := filepath.Join(dir, "other"), filepath.Join(dir, "overlay.json")
	b, err := json.Marshal(map[string]any{"Replace": map[string]string{file: other}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{other: strings.ReplaceAll(string(text), was, is), list: string(b)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// A file of the page does not come, as where helve starts again just then: the page is loaded anew until it does.
func TestAPageWhoseFilesDoNotAllComeIsLoadedAnew(t *testing.T) {
	chromium(t)
	p := serve(t).open()
	p.run(network.Enable(), network.SetBlockedURLs([]string{"*/store.js"}), chromedp.Reload())
	p.sees("Loading…")
	p.run(network.SetBlockedURLs([]string{}))
	p.sees("Waiting for you")
}
