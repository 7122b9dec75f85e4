package builtin_test

import (
	"strings"
	"testing"

	"helve/builtin"
	"helve/policy"
	"helve/tool"
)

func TestSearchesLeaveOutSecretsAndSaySo(t *testing.T) {
	h := open(t, builtin.Options{})
	for _, name := range []string{"tls/server.key", "svc/credentials.json", "svc/main.go", "testdata/server.key", "ops/plain"} {
		h.put(name, "needle\n")
	}
	const left = "\n[2 files that may hold secrets are left out: name one as path, and the person is asked]"
	for _, c := range []struct {
		tool string
		args args
		want string
	}{
		{"grep", args{"pattern": "needle", "path": "svc"}, "svc/main.go:1:needle" + strings.Replace(left, "2 files that may hold secrets are", "1 file that may hold secrets is", 1)},
		{"grep", args{"pattern": "absent"}, "No matches found for pattern: absent" + left},
		{"grep", args{"pattern": "needle", "path": "testdata"}, "testdata/server.key:1:needle"},
		{"grep", args{"pattern": "needle", "path": "tls/server.key"}, "tls/server.key:1:needle"}, // the policy asked about it
		{"glob", args{"pattern": "*.key"}, "testdata/server.key\n[1 file that may hold secrets is left out: ls shows their names, and read asks the person]"},
	} {
		if got := h.call(c.tool, c.args).Text(); got != c.want {
			t.Errorf("%s %v:\n got %q\nwant %q", c.tool, c.args, got, c.want)
		}
	}
	own := open(t, builtin.Options{Secret: func(target string) bool { return target == "ops/plain" }})
	own.put("ops/plain", "needle\n")
	own.put("tls/server.key", "needle\n")
	if got := own.call("grep", args{"pattern": "needle"}).Text(); !strings.HasPrefix(got, "tls/server.key:1:needle\n[1 file") {
		t.Errorf("with a list of its own: %q", got)
	}
}

// Whatever a tool for files does with a file that may hold secrets is asked about, to look at it and to change it.
func TestEveryToolForFilesAsksAboutASecret(t *testing.T) {
	h := open(t, builtin.Options{})
	h.put(".env", "KEY=hidden\n")
	reg := &tool.Registry{}
	if err := reg.Add(builtin.All(h.ws)...); err != nil {
		t.Fatal(err)
	}
	h.kit = reg.Kit(tool.KitOptions{Policy: policy.Auto}) // nobody can be asked
	for name, in := range map[string]args{
		"read":       {"file_path": ".env"},
		"grep":       {"pattern": "KEY", "path": ".env"},
		"write":      {"file_path": ".env", "contents": "x"},
		"edit":       {"file_path": ".env", "old_string": "KEY", "new_string": "x"},
		"multi_edit": {"file_path": ".env", "edits": []args{{"old_string": "KEY", "new_string": "x"}}},
	} {
		res := h.call(name, in)
		if code(res) != tool.Permission || strings.Contains(res.Text(), "hidden") || h.get(".env") != "KEY=hidden\n" {
			t.Errorf("%s: %s", name, res.Text())
		}
	}
}
