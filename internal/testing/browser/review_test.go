package browser

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// leaves has a command that nobody is asked about leave something for a person.
func (c *client) leaves(line string) {
	c.t.Helper()
	cmd := exec.Command(c.exe, "--mode", "auto", "call", "bash", line)
	cmd.Dir, cmd.Env = c.dir, []string{"HOME=" + c.home, "PATH=" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), "needs approval") {
		c.t.Skip("holding changes of commands back does not work here: ", string(out))
	}
	if err != nil || !strings.Contains(string(out), "helve review show") {
		c.t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

// standing is what stands in a file of the workspace; "-": it is not there.
func (c *client) standing(name string) string {
	text, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil {
		return "-"
	}
	return string(text)
}

// reviews looks at what commands left on the page, makes some of it and drops some. One set waits when it ends.
func (p *tab) reviews() {
	p.t.Helper()
	p.view("tools", "tokens")
	p.view("review", "Nothing waits. What commands of mode auto")
	p.axe("nothing to review")
	p.leaves(`mkdir .newtool; echo "<img src=x onerror=document.title='broken'>" >.newtool/rc; echo obey >AGENTS.md; echo obey >GEMINI.md`)
	p.view("tools", "tokens")
	p.view("review", "+obey")
	p.sees("is a new hidden name, which another program may run")
	p.sees("+<img src=x onerror=document.title='broken'>")
	if badge := eval[string](p, `document.querySelector('nav [aria-current] .badge').innerText`); badge != "1" {
		p.t.Errorf("the badge says %q", badge)
	}
	p.axe("something to review")

	// One file, by the keyboard alone; then a folder with what is in it.
	label := func(text string) string {
		return fmt.Sprintf(`document.activeElement.getAttribute('aria-label') === %q`, text)
	}
	for n := 0; !eval[bool](p, label("Make AGENTS.md")); n++ {
		if n == 200 {
			p.t.Fatal("the button is not reached by Tab")
		}
		p.run(chromedp.KeyEvent(kb.Tab))
	}
	p.run(chromedp.KeyEvent(kb.Enter))
	p.sees("made: AGENTS.md")
	p.sees("takes it back")
	if text := p.standing("AGENTS.md"); text != "obey\n" {
		p.t.Errorf("AGENTS.md is %q", text)
	}
	p.axe("a part was made")
	drop := `document.querySelector('[aria-label="Drop .newtool/"]')`
	p.wait("the folder waits still", func() bool { return eval[bool](p, drop+` !== null && !`+drop+`.disabled`) })
	eval[bool](p, drop+`.click() || true`)
	p.sees("dropped: .newtool/rc")

	// What somebody changed since is refused with both differences.
	if err := os.WriteFile(filepath.Join(p.dir, "GEMINI.md"), []byte("mine\n"), 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.click("Make all 1")
	p.sees("somebody changed it since. It would have become:")
	p.sees("+mine")
	p.sees("1 were changed since")
	if text := p.standing("GEMINI.md"); text != "mine\n" {
		p.t.Errorf("GEMINI.md is %q", text)
	}
	p.axe("what was changed since")
	p.click("Drop all 1")
	p.sees("Nothing waits. What commands of mode auto")
	p.leaves(`seq 60 | xargs -I{} sh -c 'mkdir d{}; echo new >d{}/AGENTS.md'`)
	p.view("tools", "tokens")
	p.view("review", "Show more before you make all")
	if strings.Contains(p.text(), "Make all") {
		p.t.Error("what was not shown can be made")
	}
	p.click("Show more before you make all")
	p.sees("Make all 60")
}
