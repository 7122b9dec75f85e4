package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"helve/internal/config"
)

// edited is the text after one change: "key=value" sets, "-key" unsets.
func edited(t testing.TB, h home, name, text string, changes ...string) string {
	t.Helper()
	h.write(name, text)
	for _, c := range changes {
		var err error
		if key, ok := strings.CutPrefix(c, "-"); ok {
			_, err = config.Unset(h.env, filepath.Join(h.dir, name), key)
		} else {
			key, value, _ := strings.Cut(c, "=")
			_, err = config.Set(h.env, filepath.Join(h.dir, name), key, value)
		}
		if err != nil {
			t.Fatalf("%q in %q: %v", c, text, err)
		}
	}
	b, err := os.ReadFile(filepath.Join(h.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestAChangeKeepsCommentsAndOrder(t *testing.T) {
	h := newHome(t)
	for _, c := range []struct{ before, change, after string }{
		{"", "tools.write=false", "{\n  \"tools\": {\"write\": false}\n}\n"},
		{"{}", "mode=plan", "{\n  \"mode\": \"plan\"\n}"},
		{"{\n  // a\n  \"mode\": \"ask\", // b\n  \"write\": true // c\n}\n", "mode=\"plan\"", "{\n  // a\n  \"mode\": \"plan\", // b\n  \"write\": true // c\n}\n"},
		{"{\n  // a\n  \"mode\": \"ask\", // b\n  \"write\": true // c\n}\n", "todo=false", "{\n  // a\n  \"mode\": \"ask\", // b\n  \"write\": true, // c\n  \"todo\": false\n}\n"},
		{"{\n\t\"tools\": {\n\t\t\"a\": true, // x\n\t},\n}\n", "tools.b=ask", "{\n\t\"tools\": {\n\t\t\"a\": true, // x\n\t\t\"b\": \"ask\",\n\t},\n}\n"},
		{`{"tools": {"a": true}}`, `tools={"b":false}`, `{"tools": {"b": false}}`},
		{`{"tools": {"a": true}}`, "tools.mcp__x/y.z=false", `{"tools": {"a": true, "mcp__x/y.z": false}}`},
		{"{\n  \"a\": 1 /* x\n y */\n}", "todo=true", "{\n  \"a\": 1, /* x\n y */\n  \"todo\": true\n}"},
		{"{\n  \"mode\": \"ask\", // a\n  // about write\n  \"write\": true,\n  \"todo\": true\n}\n", "-write", "{\n  \"mode\": \"ask\", // a\n  \"todo\": true\n}\n"},
		{"{\"tools\": {\"a\": true, \"b\": false}}", "-tools.b", "{\"tools\": {\"a\": true}}"},
		{"{}\n", "-tools.b", "{}\n"},
	} {
		change := strings.Replace(c.change, "tools.b=ask", `tools.b="ask"`, 1)
		if got := edited(t, h, user, c.before, change); got != c.after {
			t.Errorf("%q with %s:\n%q, want\n%q", c.before, c.change, got, c.after)
		}
	}
}

func TestAChangeOfTOMLKeepsCommentsAndOrder(t *testing.T) {
	h := newHome(t)
	for _, c := range []struct{ before, change, after string }{
		{"", "mode=plan", "mode = \"plan\"\n"},
		{"# a\nmode = \"ask\" # b\nwrite = true\n", "mode=plan", "# a\nmode = \"plan\" # b\nwrite = true\n"},
		{"# a\nwrite = true # c", "mode=plan", "# a\nwrite = true # c\nmode = \"plan\"\n"},
		{"write = true\n\n# the tools\n[tools]\na = true # x\n\n[limits]\nresult_bytes = 5000\n", "tools.b=false", "write = true\n\n# the tools\n[tools]\na = true # x\nb = false\n\n[limits]\nresult_bytes = 5000\n"},
		{"write = true\n\n[tools]\na = true\n", "todo=false", "write = true\ntodo = false\n\n[tools]\na = true\n"},
		{"write = true\n", "tools.mcp__x/y=false", "write = true\n\n[tools]\n\"mcp__x/y\" = false\n"},
		{"tools = { a = true } # x\n", "tools.b=false", "tools = { a = true, b = false } # x\n"},
		{"tools.a = true\n", "tools.b=false", "tools.a = true\ntools.b = false\n"},
		{"tools.a = true\n", "tools.a=false", "tools.a = false\n"},
		{"[tools]\na = true\n", `tools={"b":false}`, "tools = { b = false }\n"},
		{"x = 1\n[tools]\na = true # y\n# z\nb = false\n", "-tools.a", "x = 1\n[tools]\n# z\nb = false\n"},
		{"disabled_tools = [\n \"a\", # x\n \"b\"\n]\nwrite = true\n", "-disabled_tools", "write = true\n"},
		{"write = true\n[tools]\na = true\n[limits]\nresult_bytes = 5000\n", "-tools", "write = true\n[limits]\nresult_bytes = 5000\n"},
		{"tools = { a = true, b = false }\n", "-tools.a", "tools = { b = false }\n"},
		{"[[rules]]\ndeny = \"a\"\n", `rules=[{"allow":"b"}]`, "rules = [{ allow = \"b\" }]\n"},
		{"mode = \"ask\"\r\n", "tools.write=false", "mode = \"ask\"\r\n\r\n[tools]\r\nwrite = false\r\n"},
		{"[tools]\r\na = true # x\r\n", "todo=false", "todo = false\r\n[tools]\r\na = true # x\r\n"},
	} {
		if got := edited(t, h, "config/helve/config.toml", c.before, c.change); got != c.after {
			t.Errorf("%q with %s:\n%q, want\n%q", c.before, c.change, got, c.after)
		}
	}
}

// R0.10.
func TestSetRefusesWhatIsWrong(t *testing.T) {
	h := newHome(t)
	for change, want := range map[string]string{
		"tools={":                 "Invalid tools configuration: must be valid JSON",
		"tools=write":             "Invalid tools configuration: must be valid JSON",
		"tools=":                  "Invalid tools configuration: must be valid JSON",
		"tools=[]":                "Invalid tools configuration: must be an object",
		"tools=null":              "Invalid tools configuration: must be an object",
		"tools=true":              "Invalid tools configuration: must be an object",
		`tools={"write":"no"}`:    `Invalid tools configuration: "write" must be true or false`,
		`tools={"a":true,"b":1}`:  `Invalid tools configuration: "b" must be true or false`,
		"tools.write=yes":         `Invalid tools configuration: "write" must be true or false`,
		"tools.write=1":           `Invalid tools configuration: "write" must be true or false`,
		"mode=yolo":               `mode: want plan, ask, review or auto, got "yolo"`,
		"disabled_tool=[]":        `did you mean "disabled_tools"?`,
		"write=maybe":             "write: want true or false",
		`disabled_tools="bash"`:   "disabled_tools: want a list",
		`rules=[{"alow":"x"}]`:    "unknown key",
		"limits.result_bytes=abc": "want a whole number",
	} {
		for _, file := range []string{user, project, "config/helve/config.toml"} {
			key, value, _ := strings.Cut(change, "=")
			_, err := config.Set(h.env, filepath.Join(h.dir, file), key, value)
			if err == nil || !strings.Contains(err.Error(), want) || strings.HasPrefix(want, "Invalid") && err.Error() != want {
				t.Errorf("%s: %v, want %q", change, err, want)
			}
			if _, err := os.Stat(filepath.Join(h.dir, file)); err == nil {
				t.Fatalf("%s: written all the same", change)
			}
		}
	}
	h.write(user, "{ broken")
	if _, err := config.Set(h.env, filepath.Join(h.dir, user), "mode", "plan"); err == nil || !strings.Contains(err.Error(), "mend it first") {
		t.Errorf("%v", err)
	}
}

func TestTwoWritersLoseNothing(t *testing.T) {
	h := newHome(t)
	for _, name := range []string{user, "work/.helve/config.toml"} {
		file := filepath.Join(h.dir, name)
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() {
				if _, err := config.Set(h.env, file, fmt.Sprintf("tools.t%d", i), "false"); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	c := h.mustLoad(config.Options{Trusted: trusted})
	if len(c.Tools) != 40 {
		t.Errorf("%d of 40 are there", len(c.Tools))
	}
	if left, _ := filepath.Glob(filepath.Join(h.dir, "work/.helve/.*")); len(left) != 0 {
		t.Errorf("left over: %q", left)
	}
}

func TestALinkedFileStaysALink(t *testing.T) {
	h := newHome(t).write("dotfile.json", "{}")
	link := filepath.Join(h.dir, user)
	if err := os.Symlink(filepath.Join(h.dir, "dotfile.json"), link); err != nil {
		t.Skip(err)
	}
	if _, err := config.Set(h.env, link, "mode", "plan"); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Lstat(link); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v, %v", st, err)
	}
	if c := h.mustLoad(config.Options{}); c.Mode != "plan" {
		t.Errorf("%q", c.Mode)
	}
}

// Whatever is set is what is read, in both forms, and what stood before stands.
func TestWhatIsSetIsWhatIsRead(t *testing.T) {
	h := newHome(t)
	values := map[string][]string{
		"tools.a": {"true", "false", `"ask"`}, "tools.@net": {"false"}, "tools.mcp__x/y z": {"true"}, `tools.q"uote`: {"false"}, "tools": {"{}", `{"a":false}`}, "mode": {"plan", "auto"},
		"disabled_tools": {"[]", `["a","b"]`}, "limits.result_bytes": {"5000", "6000"}, "rules": {"[]", `[{"deny":"a"}]`, `[{"allow":"é\u0001"},{"ask":"b"}]`}, "sandbox.masked": {`["x"]`},
		"mcp_servers.s": {`{"command":"x","args":["1"],"env":{"A":"b"}}`}, "write": {"false"},
	}
	var keys []string
	for k := range values {
		keys = append(keys, k)
	}
	rapid.Check(t, func(t *rapid.T) {
		files := []string{filepath.Join(h.dir, user), filepath.Join(h.dir, "work/.helve/config.toml")}
		for _, f := range files {
			os.Remove(f)
		}
		for range rapid.IntRange(1, 12).Draw(t, "changes") {
			key := rapid.SampledFrom(keys).Draw(t, "key")
			value := rapid.SampledFrom(values[key]).Draw(t, "value")
			unset := rapid.IntRange(0, 3).Draw(t, "unset") == 0
			for _, f := range files {
				var err error
				if unset {
					_, err = config.Unset(h.env, f, key)
				} else {
					_, err = config.Set(h.env, f, key, value)
				}
				if err != nil {
					t.Fatalf("%s %s: %v", key, value, err)
				}
			}
		}
		c := h.mustLoad(config.Options{Trusted: trusted})
		var asJSON, asTOML string
		for _, l := range c.Layers {
			switch l.Name {
			case "user":
				asJSON = jsonString(l.Values())
			case "project":
				asTOML = jsonString(l.Values())
			}
		}
		if asJSON != asTOML && asJSON != "" && asTOML != "" {
			t.Fatalf("JSON %s\nTOML %s", asJSON, asTOML)
		}
	})
}

// A repository may bring a .helve that is a link: what a person sets for it must not land in a file of the repository's choice.
func TestALinkOutOfTheWorkspaceIsNotWrittenThrough(t *testing.T) {
	dir := t.TempDir()
	ws, outside := filepath.Join(dir, "ws"), filepath.Join(dir, "outside")
	for _, d := range []string{ws, outside} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(ws, ".helve")); err != nil {
		t.Skip(err)
	}
	env := config.EnvironmentOf(func(k string) string { return map[string]string{"HOME": filepath.Join(dir, "home")}[k] })
	if _, err := config.Set(env, filepath.Join(ws, ".helve", "config.json"), "tools.write", "false"); err == nil || !strings.Contains(err.Error(), "leads out of the workspace") {
		t.Errorf("error = %v", err)
	}
	if left, _ := os.ReadDir(outside); len(left) != 0 {
		t.Errorf("written outside: %v", left)
	}
}
