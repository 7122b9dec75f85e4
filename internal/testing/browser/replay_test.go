package browser

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/chromedp/chromedp"
)

// cassette is what helve run --record writes: a call that comes to the same, one that does not, one whose arguments were no
// JSON, and one with names that are made to deceive.
const cassette = `{"name":"mcp__docs__search","args":{},"result":{"parts":[{"type":"text","text":"found"}]}}
{"name":"grep","args":{"pattern":"was here"},"result":{"parts":[{"type":"text","text":"src/main.go:9:was here"}]}}
{"name":"read","args":null,"text":"{\"file_path\":","result":{"parts":[{"type":"text","text":"Error: the arguments are no JSON"}],"error":{"type":"validation_error","message":"no JSON"}}}
{"name":"<img src=x onerror=document.title='broken'>","args":{},"result":{"parts":[{"type":"text","text":"\u202e<script>document.title='broken'</script>"}]}}
`

// replays looks at a cassette and makes its calls again.
func (p *tab) replays() {
	p.t.Helper()
	dir := p.t.(interface{ TempDir() string }).TempDir()
	good, bad := filepath.Join(dir, "run.jsonl"), filepath.Join(dir, "notes.txt")
	for file, text := range map[string]string{good: cassette, bad: "{\"name\":\"ls\"}\n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			p.t.Fatal(err)
		}
	}
	p.view("replay", "Choose a file")
	p.run(chromedp.SetUploadFiles(`input[type=file]`, []string{bad}, chromedp.ByQuery))
	p.sees("Line 1 is no recorded call")
	p.run(chromedp.SetUploadFiles(`input[type=file]`, []string{good}, chromedp.ByQuery))
	p.sees("run.jsonl")
	row := func(n string) {
		p.t.Helper()
		eval[bool](p, `[...document.querySelectorAll('tr.row')].find((r) => r.cells[0].innerText === '`+n+`').querySelector('button').click() || true`)
	}
	row("1")
	p.sees("found")
	p.click("Call it now")
	p.sees("Now: the same")
	row("2")
	p.click("Call it now")
	p.sees("another result")
	p.axe("a cassette")
	row("3")
	p.sees("Its arguments are no JSON: it cannot be called again")
	row("4")
	p.sees(`\u202e<script>document.title='broken'</script>`)
	if n := eval[int](p, `document.querySelectorAll('main img, main script').length`); n != 0 {
		p.t.Errorf("%d elements were made of a name", n)
	}
	p.click("Call it now")
	p.sees("unknown_tool")
	if title := eval[string](p, `document.title`); !strings.Contains(title, "helve console") {
		p.t.Errorf("title %q", title)
	}
}
