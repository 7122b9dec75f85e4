package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
)

// home is an empty home folder of a system, in which no program is installed.
func home(t *testing.T, system string) Home {
	return Home{Dir: t.TempDir(), OS: system, Getenv: func(string) string { return "" }, Look: func(string) bool { return false }}
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// parsed reads a client's file as the client would.
func parsed(t *testing.T, file, text string) map[string]any {
	t.Helper()
	var out map[string]any
	body := bytes.TrimPrefix([]byte(text), bom)
	if strings.HasSuffix(file, ".toml") {
		if err := toml.Unmarshal(body, &out); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		return out
	}
	std, err := hujson.Standardize(bytes.Clone(body))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if err := json.Unmarshal(std, &out); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return out
}

func apply(t *testing.T, c Client, h Home, s Store) Change {
	t.Helper()
	ch, err := Plan(c, h, c.LineFor("/opt/helve/helve", false, "/work space/ü"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(ch); err != nil {
		t.Fatal(err)
	}
	return ch
}

// wanted is what each client must find, by the key of its file: as its documentation writes it, not as this package does.
var wanted = map[string]string{
	"claude-code":    `{"mcpServers":{"helve":{"type":"stdio","command":"/opt/helve/helve","args":["serve","--client","claude-code"]}}}`,
	"claude-desktop": `{"mcpServers":{"helve":{"command":"/opt/helve/helve","args":["-C","/work space/ü","serve","--client","claude-desktop"]}}}`,
	"cline":          `{"mcpServers":{"helve":{"command":"/opt/helve/helve","args":["-C","/work space/ü","serve","--client","cline"]}}}`,
	"codex":          `{"mcp_servers":{"helve":{"command":"/opt/helve/helve","args":["serve","--client","codex"]}}}`,
	"copilot":        `{"mcpServers":{"helve":{"type":"local","command":"/opt/helve/helve","args":["serve","--client","copilot"],"tools":["*"]}}}`,
	"cursor":         `{"mcpServers":{"helve":{"command":"/opt/helve/helve","args":["serve","--client","cursor"]}}}`,
	"gemini":         `{"mcpServers":{"helve":{"command":"/opt/helve/helve","args":["serve","--client","gemini"]}}}`,
	"opencode":       `{"mcp":{"helve":{"type":"local","command":["/opt/helve/helve","serve","--client","opencode"],"enabled":true}}}`,
	"qwen":           `{"mcpServers":{"helve":{"command":"/opt/helve/helve","args":["serve","--client","qwen"],"alwaysLoadTools":true}}}`,
	"vscode":         `{"servers":{"helve":{"type":"stdio","command":"/opt/helve/helve","args":["serve","--client","vscode"]}}}`,
	"windsurf":       `{"mcpServers":{"helve":{"command":"/opt/helve/helve","args":["-C","/work space/ü","serve","--client","windsurf"]}}}`,
	"zed": `{"context_servers":{"helve":{"command":"/opt/helve/helve","args":["serve","--client","zed"]}},` +
		`"agent_servers":{"helve":{"type":"custom","command":"/opt/helve/helve","args":["acp"]}}}`,
}

func TestEachClientFindsItsLine(t *testing.T) {
	if len(Clients()) != len(wanted)+1 { // Continue's file is YAML
		t.Fatalf("%d clients, %d are tested", len(Clients()), len(wanted))
	}
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, c := range Clients() {
			if wanted[c.Name] == "" {
				continue
			}
			t.Run(system+"/"+c.Name, func(t *testing.T) {
				h := home(t, system)
				s := Store{Dir: filepath.Join(t.TempDir(), "state")}
				if c.Installed(h) {
					t.Error("it is said to be installed in an empty home")
				}
				ch := apply(t, c, h, s)
				if !c.Installed(h) {
					t.Error("its file is there, and it is not said to be installed")
				}
				var want map[string]any
				if err := json.Unmarshal([]byte(wanted[c.Name]), &want); err != nil {
					t.Fatal(err)
				}
				file := c.File(h)
				if diff := cmp.Diff(want, parsed(t, file, get(t, file))); diff != "" {
					t.Errorf("-want +got\n%s", diff)
				}
				if again, err := Plan(c, h, ch.Line); err != nil || !again.None() {
					t.Errorf("the second time: %v\n%s", err, again.Diff())
				}
				if _, err := s.Undo(); err != nil {
					t.Fatal(err)
				}
				if left, _ := filepath.Glob(filepath.Join(h.Dir, "*")); left != nil {
					t.Errorf("undo left %q", left)
				}
				if hidden, _ := filepath.Glob(filepath.Join(h.Dir, ".*")); hidden != nil {
					t.Errorf("undo left %q", hidden)
				}
			})
		}
	}
}

// Files as people have them. KEY stands for the key under which the client keeps its servers.
var jsonFiles = map[string]string{
	"empty":             "",
	"blank":             " \n",
	"object":            "{}",
	"other keys":        "{\n  \"theme\": \"dark\",\n  \"nested\": {\"a\": [1, 2.50, 1e3]}\n}\n",
	"tabs":              "{\n\t\"theme\": \"dark\",\n\t\"KEY\": {\n\t\t\"git\": {\"command\": \"uvx\"}\n\t}\n}\n",
	"four blanks":       "{\n    \"KEY\": {\n        \"git\": {\n            \"command\": \"uvx\"\n        }\n    }\n}",
	"comments":          "// mine\n{\n  // servers\n  \"KEY\": {\n    \"git\": {\"command\": \"uvx\"}, // the git one\n    /* and\n       more */\n  },\n}\n",
	"comment at end":    "{\n  \"KEY\": {\n    \"git\": {\"command\": \"uvx\"} // last\n  }\n}\n// end\n",
	"one line":          `{"KEY": {"git": {"command": "uvx"}}, "z": null}`,
	"BOM":               "\xef\xbb\xbf{\n  \"theme\": \"dark\"\n}\n",
	"CRLF":              "{\r\n  \"theme\": \"dark\",\r\n  \"KEY\": {\r\n    \"git\": {\"command\": \"uvx\"}\r\n  }\r\n}\r\n",
	"mixed line ends":   "{\r\n  \"theme\": \"dark\",\n  \"KEY\": {\r\n    \"git\": {\"command\": \"uvx\"}\n  }\r\n}\n",
	"empty servers":     "{\n  \"KEY\": {}\n}\n",
	"no final newline":  "{\n  \"theme\": \"dark\"\n}",
	"escaped names":     "{\n  \"th\\u0065me\": \"d\\/ark\",\n  \"ü\": \"\\ud83d\\ude00\"\n}\n",
	"helve in old form": "{\n  \"KEY\": {\n    \"helve\": {\n      \"command\": \"helve\",\n      \"args\": [\"serve\"],\n      \"env\": {\"A\": \"b\"} // mine\n    }\n  }\n}\n",
}

func TestFilesOfJSONKeepWhatStandsInThem(t *testing.T) {
	for name, text := range jsonFiles {
		for _, client := range []string{"gemini", "opencode", "vscode", "copilot"} {
			t.Run(name+"/"+client, func(t *testing.T) {
				c, _ := Find(client)
				text := strings.ReplaceAll(text, "KEY", c.form.(jsonFile).key)
				keeps(t, c, text)
			})
		}
	}
}

var tomlFiles = map[string]string{
	"empty":            "",
	"other tables":     "model = \"o5\" # mine\n\n[profiles.fast]\nmodel = \"o5-mini\"\n",
	"other servers":    "[mcp_servers.git]\ncommand = \"uvx\"\nargs = [\n  \"mcp-server-git\",\n]\n\n[mcp_servers.git.env]\nA = \"b\"\n",
	"no final newline": "model = \"o5\"",
	"CRLF":             "model = \"o5\"\r\n\r\n[mcp_servers.git]\r\ncommand = \"uvx\"\r\n",
	"BOM":              "\xef\xbb\xbfmodel = \"o5\"\n",
	"a super table":    "[mcp_servers]\n\n[mcp_servers.git]\ncommand = \"uvx\"\n",
	"helve in old form": "[mcp_servers.helve]\n# mine\ncommand = \"helve\" # here\nargs = [\"serve\"]\nstartup_timeout_sec = 20\n\n" +
		"[mcp_servers.helve.env]\nA = \"b\"\n\n[profiles.fast]\nmodel = \"o5-mini\"\n",
	"only the command": "[mcp_servers.helve]\ncommand = 'helve'",
	"quoted keys":      "[\"mcp_servers\".\"helve\"]\n\"command\" = \"\"\"helve\"\"\"\n",
}

func TestFilesOfTOMLKeepWhatStandsInThem(t *testing.T) {
	for name, text := range tomlFiles {
		t.Run(name, func(t *testing.T) {
			c, _ := Find("codex")
			keeps(t, c, text)
		})
	}
}

// keeps tells what else than helve's own line is lost or changed by setting up a client, and whether undo brings the bytes back.
func keeps(t *testing.T, c Client, text string) {
	t.Helper()
	h := home(t, "linux")
	s := Store{Dir: filepath.Join(t.TempDir(), "state")}
	file := c.File(h)
	put(t, file, text)
	ch := apply(t, c, h, s)
	after := get(t, file)

	before := map[string]any{}
	if strings.TrimSpace(text) != "" {
		before = parsed(t, file, text)
	}
	var want map[string]any
	if err := json.Unmarshal([]byte(wanted[c.Name]), &want); err != nil {
		t.Fatal(err)
	}
	merge(before, want)
	if diff := cmp.Diff(before, parsed(t, file, after)); diff != "" {
		t.Errorf("-want +got\n%s\nin\n%s", diff, after)
	}
	for _, line := range strings.Split(strings.ReplaceAll(text, "}, ", "}\n"), "\n") {
		ours := strings.Contains(line, "helve") || strings.Contains(line, "serve")
		if !ours && !strings.Contains(dense.Replace(after), dense.Replace(strings.Trim(line, " \t\r{}"))) {
			t.Errorf("the line %q is gone from\n%s", line, after)
		}
	}
	windows := strings.Count(text, "\n") > 0 && strings.Count(text, "\n") == strings.Count(text, "\r\n")
	if windows && strings.Count(after, "\n") != strings.Count(after, "\r\n") {
		t.Errorf("line ends are mixed now: %q", after)
	}
	if st, err := os.Stat(file); err != nil || st.Mode().Perm() != 0o640 {
		t.Errorf("its mode is %v now, %v", st.Mode(), err)
	}
	if again, err := Plan(c, h, ch.Line); err != nil || !again.None() {
		t.Errorf("the second time: %v\n%s", err, again.Diff())
	}
	undone, err := s.Undo()
	if err != nil || len(undone) != 1 || !undone[0].Whole {
		t.Errorf("undo: %+v, %v", undone, err)
	}
	if got := get(t, file); got != text {
		t.Errorf("undo brought back\n%q\nit was\n%q", got, text)
	}
}

// dense is a text without what may move: commas and blanks.
var dense = strings.NewReplacer(",", "", " ", "", "\t", "")

// merge puts one tree of objects over another.
func merge(into, from map[string]any) {
	for k, v := range from {
		in, ok := into[k].(map[string]any)
		of, both := v.(map[string]any)
		if ok && both {
			merge(in, of)
		} else {
			into[k] = v
		}
	}
}

func TestFilesThatCannotBeChangedStayAndSayWhy(t *testing.T) {
	for _, test := range []struct{ name, client, text, want string }{
		{"broken JSON", "gemini", "{\n  \"a\": \n}", "mend the file first"},
		{"a list", "gemini", "[]", "is no object"},
		{"servers are a list", "gemini", `{"mcpServers": []}`, "mcpServers is no object"},
		{"helve is a text", "gemini", `{"mcpServers": {"helve": "x"}}`, "helve is no object"},
		{"servers twice", "gemini", `{"mcpServers": {}, "mcpServers": {}}`, "mcpServers stands there twice"},
		{"broken TOML", "codex", "a = \n", "mend the file first"},
		{"servers in one line", "codex", "mcp_servers = { git = { command = \"uvx\" } }\n", "written as one value"},
		{"helve in one line", "codex", "[mcp_servers]\nhelve = { command = \"x\" }\n", "written as one value"},
		{"written with dots", "codex", "mcp_servers.helve.command = \"x\"\n", "mend the file first"},
		{"servers are a list of tables", "codex", "[[mcp_servers]]\nname = \"x\"\n", "is no table"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := home(t, "linux")
			c, _ := Find(test.client)
			put(t, c.File(h), test.text)
			_, err := Plan(c, h, c.LineFor("helve", false, ""))
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), c.File(h)) {
				t.Errorf("got %v, want the file and %q", err, test.want)
			}
			if got := get(t, c.File(h)); got != test.text {
				t.Errorf("it holds %q now", got)
			}
		})
	}
}

// A file that no client would have, which costs no memory to look at, is left to the person.
func TestAHugeFileIsNotRead(t *testing.T) {
	h := home(t, "linux")
	c, _ := Find("gemini")
	put(t, c.File(h), "{}")
	if err := os.Truncate(c.File(h), maxFile+1); err != nil {
		t.Fatal(err)
	}
	_, err := Plan(c, h, c.LineFor("helve", false, ""))
	if err == nil || !strings.Contains(err.Error(), "at most 67108864 are read") || !strings.Contains(err.Error(), c.File(h)) {
		t.Errorf("got %v, want the file and the bound", err)
	}
	if st, err := os.Stat(c.File(h)); err != nil || st.Size() != maxFile+1 {
		t.Errorf("it was changed: %v %v", st.Size(), err)
	}
}

func TestYAMLIsForThePerson(t *testing.T) {
	h := home(t, "linux")
	c, _ := Find("continue")
	l := c.LineFor("/opt/helve/helve", true, "")
	if _, err := Plan(c, h, l); !errors.Is(err, ErrByHand) {
		t.Errorf("got %v", err)
	}
	want := "mcpServers:\n  - name: helve\n    command: \"helve\"\n    args: [\"serve\", \"--client\", \"continue\"]\n"
	if got := c.Snippet(l); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestProgramsOfADesktopGetAWholePath(t *testing.T) {
	for _, c := range Clients() {
		got := c.LineFor("/opt/helve/helve", true, "").Command
		if want := map[bool]string{true: "/opt/helve/helve", false: "helve"}[c.Window]; got != want {
			t.Errorf("%s: %q", c.Name, got)
		}
	}
}

func TestAFileBehindALinkStaysBehindIt(t *testing.T) {
	h := home(t, "linux")
	c, _ := Find("cursor")
	real := filepath.Join(t.TempDir(), "dotfiles", "mcp.json")
	put(t, real, "{}\n")
	put(t, filepath.Join(filepath.Dir(c.File(h)), "other"), "")
	if err := os.Symlink(real, c.File(h)); err != nil {
		t.Skip(err)
	}
	s := Store{Dir: t.TempDir()}
	apply(t, c, h, s)
	if st, err := os.Lstat(c.File(h)); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", st, err)
	}
	if !strings.Contains(get(t, real), "helve") {
		t.Error("the file behind the link has nothing of helve")
	}
	if _, err := s.Undo("cursor"); err != nil || get(t, real) != "{}\n" {
		t.Errorf("undo: %v, %q", err, get(t, real))
	}
	if err := os.Remove(real); err != nil {
		t.Fatal(err)
	}
	if _, err := Plan(c, h, Line{}); err == nil || !strings.Contains(err.Error(), "link to a file that is not there") {
		t.Errorf("got %v", err)
	}
}

func TestAReadOnlyFileIsNotReplaced(t *testing.T) {
	h := home(t, "linux")
	c, _ := Find("cursor")
	put(t, c.File(h), "{}\n")
	if err := os.Chmod(c.File(h), 0o444); err != nil {
		t.Fatal(err)
	}
	if _, err := Plan(c, h, c.LineFor("helve", false, "")); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("got %v", err)
	}
}

func TestAPlanIsNotWrittenOverAnotherOnesChange(t *testing.T) {
	h := home(t, "linux")
	c, _ := Find("qwen")
	put(t, c.File(h), "{}\n")
	ch, err := Plan(c, h, c.LineFor("helve", false, ""))
	if err != nil {
		t.Fatal(err)
	}
	put(t, c.File(h), "{\"mine\": 1}\n")
	s := Store{Dir: t.TempDir()}
	if err := s.Apply(ch); err == nil || !strings.Contains(err.Error(), "changed meanwhile") {
		t.Errorf("got %v", err)
	}
	if got := get(t, c.File(h)); got != "{\"mine\": 1}\n" {
		t.Errorf("it holds %q", got)
	}
	if done, err := s.Undo(); err != nil || len(done) != 0 {
		t.Errorf("something is remembered: %v %v", done, err)
	}
}

func TestUndoTakesOnlyHelveOutOfAFileThatChangedSince(t *testing.T) {
	for _, client := range []string{"gemini", "codex"} {
		h := home(t, "linux")
		c, _ := Find(client)
		s := Store{Dir: t.TempDir()}
		apply(t, c, h, s)
		file := c.File(h)
		changed := strings.Replace(get(t, file), "{\n", "{\n  \"mine\": 1,\n", 1)
		if client == "codex" {
			changed = "mine = 1\n" + get(t, file) + "\n[mcp_servers.helve.env]\nA = \"b\"\n[mcp_servers.git]\ncommand = \"uvx\"\n"
		}
		put(t, file, changed)
		undone, err := s.Undo()
		if err != nil || len(undone) != 1 || undone[0].Whole {
			t.Fatalf("%+v %v", undone, err)
		}
		got := parsed(t, file, get(t, file))
		if strings.Contains(get(t, file), "helve") || got["mine"] == nil {
			t.Errorf("it holds\n%s", get(t, file))
		}
	}
}

// Two at once, as two terminals may: each file ends with helve in it once, and both changes can be taken back.
func TestTwoAtOnceLoseNothing(t *testing.T) {
	h := home(t, "linux")
	s := Store{Dir: t.TempDir()}
	errs := make(chan error)
	for _, name := range []string{"gemini", "qwen", "cursor", "zed"} {
		c, _ := Find(name)
		put(t, c.File(h), "{}\n")
		for range 2 {
			go func() {
				ch, err := Plan(c, h, c.LineFor("helve", false, ""))
				if err == nil && !ch.None() {
					err = s.Apply(ch)
				}
				errs <- err
			}()
		}
	}
	for range 8 {
		if err := <-errs; err != nil && !strings.Contains(err.Error(), "changed meanwhile") {
			t.Error(err)
		}
	}
	if _, err := s.Undo(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"gemini", "qwen", "cursor", "zed"} {
		c, _ := Find(name)
		if got := get(t, c.File(h)); got != "{}\n" {
			t.Errorf("%s holds %q", name, got)
		}
	}
}

// A record that cannot be read must not be written over: it is all that is known of what was there.
func TestARecordThatIsBrokenStops(t *testing.T) {
	h := home(t, "linux")
	c, _ := Find("cursor")
	s := Store{Dir: t.TempDir()}
	put(t, s.file(), "{")
	ch, err := Plan(c, h, c.LineFor("helve", false, ""))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(ch); err == nil || there(c.File(h)) {
		t.Errorf("got %v, file there: %v", err, there(c.File(h)))
	}
}

// A server of another program that is called helve is not replaced without a word; what starts helve in any way is no other.
func TestAnotherProgramsServerIsNamed(t *testing.T) {
	for _, c := range []struct{ client, text, want string }{
		{"claude-code", `{"mcpServers": {"helve": {"command": "npx", "args": ["-y", "other-helve-thing"]}}}`, "npx -y other-helve-thing"},
		{"gemini", `{"mcpServers": {"helve": {"httpUrl": "https://a.test/mcp"}}}`, "https://a.test/mcp"},
		{"opencode", "{\"mcp\": {\n// mine\n\"helve\": {\"type\": \"local\", \"command\": [\"axe\", \"serve\"]}}}", "axe serve"},
		{"codex", "model = \"x\"\n[mcp_servers.helve]\ncommand = \"axe\"\nargs = [\"helve\"]\n", "axe helve"},
		{"claude-code", `{"mcpServers": {"helve": {"command": "/old/place/helve", "args": ["-C", "/x", "serve"]}}}`, ""},
		{"claude-code", `{"mcpServers": {"helve": {"command": "npx", "args": ["-y", "@a/helve@1.2", "serve"]}}}`, ""},
		{"claude-code", `{"mcpServers": {"helve": {"command": "C:\\bin\\helve.exe", "args": ["serve"]}}}`, ""},
		{"codex", "[mcp_servers.helve]\ncommand = \"helve-full\"\nargs = [\"serve\"]\n", ""},
		{"claude-code", `{"mcpServers": {"other": {"command": "axe"}}}`, ""},
	} {
		h := home(t, "linux")
		client, _ := Find(c.client)
		put(t, client.File(h), c.text)
		ch, err := Plan(client, h, client.LineFor("/opt/helve/helve", false, "/w"))
		if got := strings.Join(ch.Foreign, " "); err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.text, got, err, c.want)
		}
	}
}
