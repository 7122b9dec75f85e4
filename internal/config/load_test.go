package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helve/internal/config"
)

// A home is a made-up environment with a workspace.
type home struct {
	t   testing.TB
	dir string
	env config.Environment
}

func newHome(t testing.TB) home {
	t.Helper()
	dir := t.TempDir()
	os.Chmod(dir, 0o755)
	h := home{t, dir, config.Environment{
		ConfigHome: filepath.Join(dir, "config"), StateDir: filepath.Join(dir, "state", "helve"),
		CacheDir: filepath.Join(dir, "cache", "helve"), Managed: filepath.Join(dir, "etc"),
	}}
	for _, d := range []string{"config/helve", "etc", "work/.helve"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func (h home) work() string { return filepath.Join(h.dir, "work") }

// write puts files below the home: config/helve/config.json, work/.helve/config.json, etc/config.json.
func (h home) write(files ...string) home {
	h.t.Helper()
	for i := 0; i < len(files); i += 2 {
		if err := os.WriteFile(filepath.Join(h.dir, files[i]), []byte(files[i+1]), 0o644); err != nil {
			h.t.Fatal(err)
		}
	}
	return h
}

const (
	user    = "config/helve/config.json"
	project = "work/.helve/config.json"
	local   = "work/.helve/config.local.json"
	managed = "etc/config.json"
)

func trusted(string, string) bool { return true }

func (h home) load(o config.Options) (*config.Config, error) {
	if o.Workspace == "" {
		o.Workspace = h.work()
	}
	return config.Load(h.env, o)
}

func (h home) mustLoad(o config.Options) *config.Config {
	h.t.Helper()
	c, err := h.load(o)
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}

func get(t testing.TB, c *config.Config, key string) string {
	t.Helper()
	v, _ := c.Get(key)
	return string(v)
}

func TestWithoutAFileTheDefaultsStand(t *testing.T) {
	c := newHome(t).mustLoad(config.Options{})
	if c.Mode != "ask" || c.Profile != "default" || !*c.Write || !*c.Todo || c.Limits.ResultBytes != 40000 || c.Sandbox.Level != "workspace-write" || c.Project || c.Trusted {
		t.Errorf("%+v", c.Values)
	}
	if at := c.At("mode"); at.Layer != "default" || at.File != "" {
		t.Errorf("mode is from %v", at)
	}
}

// R0.4.
func TestTheHigherLayerWins(t *testing.T) {
	h := newHome(t).write(
		user, `{"tools":{"write":false,"bash":false},"limits":{"result_bytes":5000},"mode":"auto"}`,
		project, `{"tools":{"write":true,"edit":"ask"},"mode":"ask"}`,
		local, `{"tools":{"edit":"approval","read":"deny"}}`)
	c := h.mustLoad(config.Options{Trusted: trusted, Flags: config.Flags{Tools: `{"write":false}`, Mode: "plan"}})
	for key, want := range map[string]string{
		"tools.write": "false", "tools.bash": "false", "tools.edit": `"approval"`, "tools.read": `"deny"`, "mode": `"plan"`, "limits.result_bytes": "5000", "todo": "true",
	} {
		if got := get(t, c, key); got != want {
			t.Errorf("%s = %s, want %s", key, got, want)
		}
	}
	if c.Tools["edit"] != config.Asked {
		t.Errorf("approval is %q", c.Tools["edit"])
	}
	var names []string
	for _, l := range c.Layers {
		names = append(names, l.Name+" "+filepath.Base(l.File))
	}
	if want := []string{"flags .", "project config.local.json", "project config.json", "user config.json", "default ."}; !slices.Equal(names, want) {
		t.Errorf("layers %q, want %q", names, want)
	}
}

func TestEveryValueKnowsItsLayerFileAndLine(t *testing.T) {
	h := newHome(t).write(
		user, "{\n  // what I like\n  \"tools\": {\n    \"write\": false, /* never */\n    \"bash\": \"ask\",\n  },\n  \"rules\": [\n    {\"deny\": \"read:**/.env\"}\n  ]\n}\n",
		"work/.helve/config.toml", "# ours\nmode = \"plan\"\ndisabled_tools = [\n  \"fetch\",\n  \"bash\"]\n\n[tools]\n\"mcp__a/b\" = false\n\n[[rules]]\nask = \"edit:a\"\n")
	c := h.mustLoad(config.Options{})
	for key, want := range map[string]string{"tools.write": user + ":4", "tools.bash": user + ":5", "mode": "work/.helve/config.toml:2", "tools.mcp__a/b": "work/.helve/config.toml:8"} {
		top, rest, _ := strings.Cut(key, ".")
		keys := []string{top}
		if rest != "" {
			keys = append(keys, rest)
		}
		if got := strings.TrimPrefix(c.At(keys...).String(), h.dir+"/"); got != want {
			t.Errorf("%s is from %s, want %s", key, got, want)
		}
	}
	var got []string
	for _, l := range c.Layers {
		for _, r := range l.Rules() {
			got = append(got, fmt.Sprintf("%s %s %d", r.Word, r.Text, r.At.Line))
		}
		for _, n := range l.Disabled() {
			got = append(got, fmt.Sprintf("%s %d", n.Name, n.At.Line))
		}
	}
	if want := []string{"ask edit:a 11", "fetch 4", "bash 5", "deny read:**/.env 8"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	var keys []string
	for _, e := range c.Entries() {
		if e.Layer != "default" {
			keys = append(keys, fmt.Sprintf("%s=%s %s:%d", e.Key, e.Value, e.Layer, e.Line))
		}
	}
	want := []string{`disabled_tools="fetch" project:4`, `disabled_tools="bash" project:5`, `mode="plan" project:2`, `rules={"deny":"read:**/.env"} user:8`, `rules={"ask":"edit:a"} project:10`,
		`tools.bash="ask" user:5`, `tools.mcp__a/b=false project:8`, `tools.write=false user:4`}
	if !slices.Equal(keys, want) {
		t.Errorf("%q\nwant %q", keys, want)
	}
}

func TestJSONAndTOMLSayTheSame(t *testing.T) {
	a := newHome(t).write(user, `{"tools":{"write":true,"@net":false},"allowed_tools":["a","b"],"rules":[{"allow":"bash:go test *"}],"write":false,
		"tool_options":{"bash":{"timeout":120000}},"discovery":{"command":"x","timeout":"30s","verbose_descriptions":true},
		"mcp_servers":{"git hub":{"command":"c","args":["-x"],"env":{"A":"b"},"trust":true,"lazy":false}},
		"hooks":[{"on":"before","match":"bash","command":"h"}],"sandbox":{"network":true,"masked":["~/.ssh"]},"fetch":{"allow_private":["127.0.0.1:80"]},
		"limits":{"result_bytes":10000}}`)
	b := newHome(t).write("config/helve/config.toml", `allowed_tools = ["a", "b"]
write = false
tools = { write = true, "@net" = false }
rules = [{ allow = "bash:go test *" }]
limits.result_bytes = 10_000
[tool_options.bash]
timeout = 120000
[discovery]
command = 'x'
timeout = "30s"
verbose_descriptions = true
[mcp_servers."git hub"]
command = "c"
args = ["-x"]
trust = true
lazy = false
[mcp_servers."git hub".env]
A = "b"
[[hooks]]
on = "before"
match = "bash"
command = "h"
[sandbox]
network = true
masked = ["~/.ssh"]
[fetch]
allow_private = ["127.0.0.1:80"]
`)
	x, y := a.mustLoad(config.Options{}), b.mustLoad(config.Options{})
	if got, want := fmt.Sprint(jsonOf(t, y.Values)), fmt.Sprint(jsonOf(t, x.Values)); got != want {
		t.Errorf("TOML %s\nJSON %s", got, want)
	}
}

func TestAnUnknownKeyIsAnErrorWithTheNearestName(t *testing.T) {
	for text, want := range map[string]string{
		"{\n\"disabled_tool\": [\"bash\"]}":         `config.json:2: unknown key "disabled_tool": did you mean "disabled_tools"?`,
		`{"mcp_servers":{"a":{"comand":"x"}}}`:      `unknown key "mcp_servers.a.comand": did you mean "mcp_servers.a.command"?`,
		`{"base_url":"http://evil","proxy":"evil"}`: `unknown key "base_url"`,
		`{"include":["/etc/other.json"]}`:           `unknown key "include"`,
		`{"clients":{"x":{"tols":{}}}}`:             `did you mean "clients.x.tools"?`,
	} {
		h := newHome(t).write(user, text)
		_, err := h.load(config.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
		c, err := h.load(config.Options{Tolerant: true}) // serve
		if err != nil || len(c.Warnings) == 0 || !strings.Contains(c.Warnings[0], "unknown key") || c.Degraded {
			t.Errorf("%s: tolerant: %v, %+v", text, err, c)
		}
	}
}

// The seeds' tables of bad values, and more.
func TestBadValuesAreErrorsWithFileLineAndRemedy(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                                               "config.json:1: it ends where",
		`[]`:                                              "want an object, got a list",
		`null`:                                            "want an object, got null",
		`"x"`:                                             "want an object",
		`{"tools":[]}`:                                    "tools: want an object, got a list",
		`{"tools":null}`:                                  "tools: want an object, got null",
		`{"tools":{"write":"yes"}}`:                       `tools.write: want true, false, "allow", "ask" or "deny", got "yes"`,
		`{"tools":{"write":0}}`:                           "tools.write: want true, false",
		`{"tools":{"write":null}}`:                        "tools.write: want true, false",
		"{\"tools\":{\"a\":true,\n\"a\":false}}":          `config.json:2: the key "a" stands twice, first in line 1`,
		"{\"a\":{},\n\"a\":{\"b\":1,\n\"b\":2}}":          `config.json:2: the key "a" stands twice, first in line 1`,
		`{"disabled_tools":"bash"}`:                       `disabled_tools: want a list, got the string "bash"`,
		`{"disabled_tools":["a",1]}`:                      "disabled_tools[1]: want a string, got the number 1",
		`{"disabled_tools":{}}`:                           "want a list, got an object",
		`{"rules":["deny x"]}`:                            "rules[0]: want an object",
		`{"rules":[{}]}`:                                  "rules[0]: want exactly one of allow, ask and deny",
		`{"rules":[{"allow":"a","deny":"b"}]}`:            "want exactly one",
		`{"mode":"yolo"}`:                                 `mode: want plan, ask, review or auto, got "yolo"`,
		`{"write":"true"}`:                                "write: want true or false",
		`{"limits":{"result_bytes":1.5}}`:                 "want a whole number",
		`{"limits":{"result_bytes":-1}}`:                  "minimum 1000, got -1",
		`{"discovery":{"timeout":30}}`:                    `want a string like "30s"`,
		`{"discovery":{"timeout":"30"}}`:                  `want a duration like "30s"`,
		`{"discovery":{"timeout":"-3s"}}`:                 `want a duration like "30s"`,
		`{"sandbox":{"level":"bubblewrap"}}`:              "want read-only, workspace-write or off",
		`{"hooks":[{"on":"before"}]}`:                     `want "on" and "command"`,
		`{"mcp_servers":{"a":{"command":"x","url":"y"}}}`: "not both",
		"\xef\xbb\xbf{}":                                  "byte order mark",
		"{\"a\":\"\xff\"}":                                "not valid UTF-8",
		strings.Repeat("[", 10_000):                       "nest deeper than 100",
	} {
		h := newHome(t).write(user, text)
		_, err := h.load(config.Options{})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "config.json") {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
		c, err := h.load(config.Options{Tolerant: true}) // ⚑11
		if err != nil || !c.Degraded || c.Mode != "plan" || *c.Write || len(c.Warnings) == 0 {
			t.Errorf("%.60q: a server starts with %+v, %v", text, c, err)
		}
	}
	for text, want := range map[string]string{
		"a = ":                         "config.toml:1",
		"mode = \"ask\"\nmode = \"a\"": "config.toml:2",
		"tools = []":                   "tools: want an object, got a list",
		"[tools]\nwrite = 1":           "config.toml:2: tools.write: want true",
		"mode = 1979-05-27":            "want plan",
	} {
		_, err := newHome(t).write("config/helve/config.toml", text).load(config.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestBothFormsInOnePlaceAreAnError(t *testing.T) {
	for _, dir := range []string{"config/helve", "work/.helve", "etc"} {
		h := newHome(t).write(dir+"/config.json", "{}", dir+"/config.toml", "")
		if _, err := h.load(config.Options{}); err == nil || !strings.Contains(err.Error(), "remove one") {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

func TestTheManagedLayerIsStrictEverywhere(t *testing.T) {
	for _, tolerant := range []bool{false, true} {
		if _, err := newHome(t).write(managed, "{").load(config.Options{Tolerant: tolerant}); err == nil {
			t.Errorf("tolerant %v: a managed file that does not parse was passed over", tolerant)
		}
	}
}

func TestAllMistakesAreReportedAtOnce(t *testing.T) {
	_, err := newHome(t).write(user, `{"mode":1,"write":2,"nonsense":3}`, project, `{"todo":"x"}`).load(config.Options{})
	if err == nil || strings.Count(err.Error(), "\n") != 3 {
		t.Errorf("%v", err)
	}
	var p *config.Problem
	if !errors.As(err, &p) || p.Key != "mode" {
		t.Errorf("%+v", p)
	}
}

func TestTheUserFileCanBeAnother(t *testing.T) {
	h := newHome(t).write(user, `{"mode":"auto"}`, "other.json", `{"mode":"plan"}`)
	if c := h.mustLoad(config.Options{UserFile: filepath.Join(h.dir, "other.json")}); c.Mode != "plan" || c.At("mode").Layer != "user" {
		t.Errorf("%q from %v", c.Mode, c.At("mode"))
	}
	if _, err := h.load(config.Options{UserFile: filepath.Join(h.dir, "none.json")}); err == nil {
		t.Error("a file asked for by name may be missing")
	}
}

// No search goes upwards (config-013 says why).
func TestTheWorkspaceIsWhereTheProjectIsReadFrom(t *testing.T) {
	h := newHome(t).write(project, `{"mode":"plan"}`)
	sub := filepath.Join(h.work(), "sub")
	os.Mkdir(sub, 0o755)
	if c := h.mustLoad(config.Options{Workspace: sub}); c.Mode != "ask" || c.Project {
		t.Errorf("%q", c.Mode)
	}
}
