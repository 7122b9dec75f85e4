package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/internal/config"
)

// Rules are added behind those that a file has and taken out again, in each way in which people write them; the rest of
// the file stays as it is.
func TestRulesAreAddedAndRemovedInPlace(t *testing.T) {
	const rule = "bash:go test *"
	for _, c := range []struct{ name, before, after string }{
		{"json", "", "{\n  \"rules\": [{\"allow\": \"bash:go test *\"}]\n}\n"},
		{"json", "{\n  // mine\n  \"mode\": \"ask\"\n}\n",
			"{\n  // mine\n  \"mode\": \"ask\",\n  \"rules\": [{\"allow\": \"bash:go test *\"}]\n}\n"},
		{"json", "{\"rules\": [\n  {\"deny\": \"read:x\"}, // x, too\n]}",
			"{\"rules\": [\n  {\"deny\": \"read:x\"},\n    {\"allow\": \"bash:go test *\"}, // x, too\n]}"},
		{"toml", "", "rules = [{ allow = \"bash:go test *\" }]\n"},
		{"toml", "# mine\nmode = \"ask\"\n\n[tools]\nwrite = false\n",
			"# mine\nmode = \"ask\"\nrules = [{ allow = \"bash:go test *\" }]\n\n[tools]\nwrite = false\n"},
		{"toml", "rules = [{ deny = \"read:x\" }] # x\n", "rules = [{ deny = \"read:x\" }, { allow = \"bash:go test *\" }] # x\n"},
		{"toml", "rules = [\n  { deny = \"read:x\" }, # x, too\n]\n",
			"rules = [\n  { deny = \"read:x\" }, # x, too\n  { allow = \"bash:go test *\" }\n]\n"},
		{"toml", "rules = [\n  { deny = \"read:x\" } # x, too\n]\n",
			"rules = [\n  { deny = \"read:x\" } # x, too\n  , { allow = \"bash:go test *\" }\n]\n"},
		{"toml", "[[rules]]\ndeny = \"read:x\" # x\n\n[tools]\nwrite = false\n",
			"[[rules]]\ndeny = \"read:x\" # x\n\n[tools]\nwrite = false\n\n[[rules]]\nallow = \"bash:go test *\"\n"},
	} {
		h := newHome(t).write("work/.helve/config."+c.name, c.before)
		file := filepath.Join(h.dir, "work/.helve/config."+c.name)
		if _, err := config.AddRule(h.env, file, "allow", rule, nil); err != nil {
			t.Errorf("%q: %v", c.before, err)
			continue
		}
		if got, _ := os.ReadFile(file); string(got) != c.after {
			t.Errorf("%q became\n%q, want\n%q", c.before, got, c.after)
		}
		i := strings.Count(c.before, "deny")
		if i > 0 { // twice: it is where it was
			for _, r := range [][2]string{{"deny", "read:x"}, {"allow", rule}} {
				if _, err := config.LastRule(h.env, file, 0, r[0], r[1]); err != nil {
					t.Errorf("%q: %v", c.after, err)
				}
				got, _ := os.ReadFile(file)
				if text := string(got); strings.LastIndex(text, r[1]) < strings.Index(text, "allow") || strings.Count(text, "#") != strings.Count(c.before, "#") {
					t.Errorf("%q became %q with %s last", c.after, text, r[1])
				}
			}
		}
		if _, err := config.RemoveRule(h.env, file, i, "deny", rule); err == nil {
			t.Errorf("%q: a rule was removed that is another", c.after)
		}
		if _, err := config.RemoveRule(h.env, file, i, "allow", rule); err != nil {
			t.Errorf("%q: %v", c.after, err)
			continue
		}
		got, _ := os.ReadFile(file)
		if strings.Contains(string(got), rule) || strings.Count(string(got), "#") != strings.Count(c.before, "#") {
			t.Errorf("%q became\n%q without the rule", c.after, got)
		}
		if i > 0 {
			if _, err := config.RemoveRule(h.env, file, 0, "deny", "read:x"); err != nil {
				t.Errorf("%q: %v", got, err)
			}
		}
	}
}

// What stands in the place of a list of rules is left alone.
func TestRulesThatAreNoListAreKept(t *testing.T) {
	for name, text := range map[string]string{
		"json": `{"rules": {"allow": "x"}}`,
		"toml": "rules = \"bash\"\n",
	} {
		h := newHome(t).write("work/.helve/config."+name, text)
		file := filepath.Join(h.dir, "work/.helve/config."+name)
		if _, err := config.AddRule(h.env, file, "allow", "bash", nil); err == nil {
			t.Errorf("%q took a rule", text)
		}
		if got, _ := os.ReadFile(file); string(got) != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
