package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// shown is every view, with what stands in it where the workspace has calls, questions and a server.
var shown = []struct{ view, has string }{
	{"waiting", "Asked because"},
	{"review", "agents of many makers take it for instructions"},
	{"calls", "grep main"},
	{"history", "History"},
	{"rules", "What would it change?"},
	{"tools", "tokens"},
	{"servers", "is not the one that was approved"},
	{"sessions", "Approved for always"},
	{"why?tool=bash", "May it run?"},
	{"audit", "read src/main.go"},
	{"figures", "By tool"},
	{"try?tool=ls", "path"},
	{"replay", "Choose a file"},
}

// everyView looks at every view in both schemes, as wide as a phone, a tablet and a screen, and narrower than any: what
// axe finds, and that nothing has to be pushed aside. Then it goes through them by keyboard alone.
func (p *tab) everyView() {
	p.t.Helper()
	for _, scheme := range []string{"light", "dark"} {
		p.scheme(scheme)
		for _, wide := range []int64{320, 360, 768, 1440} {
			p.size(wide, 800)
			for _, v := range shown {
				p.view(v.view, v.has)
				name := fmt.Sprintf("%s %d %s", scheme, wide, v.view)
				if *views != "" {
					p.capture(filepath.Join(*views, strings.NewReplacer(" ", "-", "?", "-").Replace(name)+".png"))
				}
				if wide >= 360 {
					p.axe(name)
				}
				p.fits(name, wide)
			}
		}
	}
	p.scheme("light")
	p.size(768, 800)
	p.byKeyboard()
}

// fits wants nothing beyond the right edge, and every view's name in sight.
func (p *tab) fits(name string, wide int64) {
	p.t.Helper()
	if w := eval[int64](p, `document.documentElement.scrollWidth`); w > wide {
		p.t.Errorf("%s is %d px wide", name, w)
	}
	if hidden := eval[string](p, `[...document.querySelectorAll('nav a')].filter((a) => {
		const at = a.getBoundingClientRect()
		return at.left < 0 || at.right > innerWidth + 1
	}).map((a) => a.innerText).join(', ')`); hidden != "" {
		p.t.Errorf("%s: not in sight: %s", name, hidden)
	}
}

// byKeyboard opens each view with Tab and Enter.
func (p *tab) byKeyboard() {
	p.t.Helper()
	const most = 200 // of Tab, for one view
	for _, v := range shown {
		name, _, _ := strings.Cut(v.view, "?")
		eval[bool](p, `document.activeElement.blur() || true`)
		p.run(chromedp.KeyEvent(kb.Escape))
		there := fmt.Sprintf(`document.activeElement.getAttribute('href') === %q`, "#/"+name)
		n := 0
		for ; n < most && !eval[bool](p, there); n++ {
			p.run(chromedp.KeyEvent(kb.Tab))
		}
		if n == most {
			p.t.Errorf("%s is not reached by Tab", name)
			continue
		}
		p.run(chromedp.KeyEvent(kb.Enter))
		p.wait(name+" is open", func() bool {
			return eval[bool](p, fmt.Sprintf(`document.querySelector('nav [aria-current]').getAttribute('href') === %q`, "#/"+name))
		})
	}
}

// takesBack undoes an edit on the page, and takes the undo back.
func (p *tab) takesBack(c *client) {
	p.t.Helper()
	file := filepath.Join(c.dir, "src", "main.go")
	text := func() string {
		b, err := os.ReadFile(file)
		if err != nil {
			p.t.Fatal(err)
		}
		return string(b)
	}
	edited := text()
	p.view("history", "edit src/main.go")
	p.axe("history")
	p.click("edit src/main.go")
	p.sees("+\tprintln(\"bye\")")
	p.axe("a change")
	p.click("Take it back")
	p.sees("undone")
	if text() == edited {
		p.t.Error("the edit was not taken back")
	}
	p.click(eval[string](p, `document.querySelector('main .card h2').innerText`))
	p.click("Take this undo back")
	p.wait("the edit is there again", func() bool { return text() == edited })
}

// rules writes a rule on the page, sees what it would change, sees it count, and takes it away.
func (p *tab) rules(c *client) {
	p.t.Helper()
	p.view("rules", "There are no rules yet")
	p.run(chromedp.SendKeys(`form input`, "read:src/**", chromedp.ByQuery))
	p.click("What would it change?")
	p.sees("of the last")
	p.sees("read src/main.go")
	p.axe("a rule that is tried")
	p.click("Add it")
	p.sees("It is written into")
	p.sees("config.local")
	if said := c.call("read", map[string]any{"file_path": "src/main.go"}); !strings.Contains(said, "read:src/**") {
		p.t.Errorf("the rule does not count: %s", said)
	}
	p.axe("a rule")
	p.click("Last")
	p.click("Remove")
	p.click("Remove it")
	p.sees("There are no rules yet")
	if said := c.call("read", map[string]any{"file_path": "src/main.go"}); !strings.Contains(said, "package main") {
		p.t.Errorf("the rule counts still: %s", said)
	}
}
