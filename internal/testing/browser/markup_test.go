package browser

import (
	"os"
	"strings"
	"testing"
)

// hostile is markup that would do something, wherever it became any.
const hostile = `<img src=x onerror=document.title='broken'><script>document.title='broken'</script><svg onload=document.title='broken'>` +
	`<iframe srcdoc=x></iframe><a href=javascript:document.title='broken'>click</a>`

// Names, titles, results, logs, definitions and arguments are others': on no page do they become more than text.
func TestNothingOfOthersBecomesMarkup(t *testing.T) {
	chromium(t)
	c := serve(t)
	c.name = hostile
	c.hello()
	p := c.open()
	c.wait("the server's tool", func() bool { return strings.Contains(c.post("tools/list", "{}"), "mcp__docs__search") })
	c.call("mcp__docs__search", map[string]any{"q": hostile})
	c.call(hostile, nil)
	c.call("read", map[string]any{"file_path": hostile})
	c.call("grep", map[string]any{"pattern": hostile})
	if err := os.WriteFile(c.says, []byte(strings.ReplaceAll(hostile, `'`, "`")), 0o600); err != nil {
		t.Fatal(err)
	}
	wrote := c.start("write", map[string]any{"file_path": "a\n\tb" + hostile, "contents": hostile})
	ran := c.start("bash", map[string]any{"command": "touch '" + strings.ReplaceAll(hostile, "'", "") + "'"})
	elements := `document.querySelectorAll('main img, main script, main iframe, main [onload], main [onerror], main a[href^=javascript]').length`
	check := func(view string) {
		t.Helper()
		if n := eval[int](p, elements); n != 0 {
			t.Errorf("%s: %d elements were made of a text", view, n)
		}
		if title := eval[string](p, `document.title`); strings.Contains(title, "broken") {
			t.Errorf("%s: a text ran: %s", view, title)
		}
	}
	p.view("waiting", `write a\n\tb<img`)
	p.sees("touch")
	check("waiting")
	p.view("servers", "docs 2.1")
	p.click("Restart")
	p.sees("is not the one that was approved")
	p.click("Log")
	p.sees("pages are known")
	check("servers")
	p.view("calls", "<img")
	eval[bool](p, `document.querySelectorAll('.what button').forEach((b) => b.click()) || true`)
	check("calls")
	p.view("tools", "tokens")
	check("tools")
	p.view("sessions", "<img")
	check("sessions")
	p.view("audit", "<img")
	eval[bool](p, `document.querySelectorAll('.what button').forEach((b) => b.click()) || true`)
	check("audit")
	p.view("figures", "By tool")
	check("figures")
	for _, view := range []string{"why", "try"} {
		p.view(view+"?tool="+`%3Cimg%20src%3Dx%20onerror%3Ddocument.title%3D1%3E`, "")
		check(view)
	}
	p.view("nothing?"+`%3Cscript%3E`, "Waiting for you")
	if err := os.WriteFile(c.config, []byte(`{"tools":{"`+hostile+`":1},"<script>":`), 0o600); err != nil {
		t.Fatal(err)
	}
	p.sees("what stood before still counts")
	check("a problem")
	p.press(`write a\n\tb`+hostile, "No")
	c.end(wrote)
	p.press("bash touch '"+strings.ReplaceAll(hostile, "'", "")+"'", "No")
	c.end(ran)
	if bad := p.bad.String(); bad != "" {
		t.Errorf("the page complains:\n%s", bad)
	}
}
