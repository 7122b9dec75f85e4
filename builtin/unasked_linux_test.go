package builtin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helve/builtin"
	"helve/engine/sandbox"
	"helve/policy"
	"helve/tool"
)

// careful is a fixture in mode ask, in which nobody can be asked.
func careful(t *testing.T) (*fixture, *tool.Kit) {
	t.Helper()
	return carefully(t, builtin.Options{})
}

// carefully is the same with other options.
func carefully(t *testing.T, o builtin.Options) (*fixture, *tool.Kit) {
	t.Helper()
	r, err := sandbox.Reach(t.Context(), sandbox.Options{})
	if err != nil || !r.Confined {
		t.Skipf("reads are not confined here: %+v %v", r, err)
	}
	h := open(t, o)
	reg := &tool.Registry{}
	if err := reg.Add(builtin.All(h.ws)...); err != nil {
		t.Fatal(err)
	}
	return h, reg.Kit(tool.KitOptions{Policy: policy.AskFirst})
}

func runs(t *testing.T, kit *tool.Kit, a args) *tool.Result {
	t.Helper()
	b, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	res, err := kit.Call(context.Background(), &tool.Call{Name: "bash", Args: b})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestWhatLooksRunsUnaskedAndChangesNothing(t *testing.T) {
	h, kit := careful(t)
	h.put("a.txt", "needle\n")
	for line, want := range map[string]string{
		"find . -name '*.txt' -exec grep -l needle {} +":   "a.txt",
		"find . -name '*.txt' | xargs wc -l":               "1 ./a.txt",
		"x=a.txt; cat $x":                                  "needle",
		"cat /etc/os-release | head -1 && cd / && echo ok": "ok",
		"awk '{print length($0)}' a.txt":                   "6",
	} {
		res := runs(t, kit, args{"command": line})
		if code(res) != "" || !strings.Contains(res.Text(), want) || !res.Verdict.Confined && !strings.HasPrefix(line, "awk") {
			t.Errorf("%s: %+v %s, want %q", line, res.Verdict, res.Text(), want)
		}
	}
	// What looks by its words and acts all the same meets the wall, and the model is told.
	for _, line := range []string{
		`x=-delete; find . $x`,
		`for f in *; do awk -v f=$f 'BEGIN{o="sh"; p="touch made-" f; print p | o}' < /dev/null; done`,
		`perl -e '$f="unl"."ink"; eval "$f q(a.txt)" or die "$!"'`,
	} {
		res := runs(t, kit, args{"command": line})
		if _, err := os.Stat(filepath.Join(h.dir, "a.txt")); err != nil {
			t.Fatalf("%s: a.txt is gone", line)
		}
		if made, _ := filepath.Glob(filepath.Join(h.dir, "made*")); len(made) > 0 {
			t.Errorf("%s: made %v", line, made)
		}
		if res.Verdict.Confined && strings.Contains(res.Text(), "Read-only") && !strings.Contains(res.Text(), "ask=true") {
			t.Errorf("%s: the model is not told: %s", line, res.Text())
		}
	}
}

func TestWhatMetTheWallCanBeAskedFor(t *testing.T) {
	_, kit := careful(t)
	for _, a := range []args{
		{"command": "find . -name x", "ask": true},
		{"command": "ls", "ask": true},
		{"command": "find . -name x", "network": true},
		{"command": "touch x"},
	} {
		res := runs(t, kit, a)
		if code(res) != tool.Permission || !strings.Contains(res.Text(), "needs approval") {
			t.Errorf("%v: %s %s", a, code(res), res.Text())
		}
	}
}

// What nobody approved does not see the workspace's secrets, wherever they are and however they are reached.
func TestUnaskedCommandsDoNotSeeTheWorkspacesSecrets(t *testing.T) {
	h, kit := careful(t)
	for _, name := range []string{".env", "svc/.env.local", "tls/server.key", "deep/a/b/id_rsa"} {
		h.put(name, "HIDDEN\n")
	}
	h.put("open.txt", "shown\n")
	if err := os.Symlink("../svc/.env.local", filepath.Join(h.dir, "tls", "link.txt")); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"grep -rsh . .", "cat */* open.txt 2>/dev/null || true", "cat tls/link.txt; cat open.txt",
		"find . -type f -exec cat {} +; true", `python3 -c "print(open('tls/'+'server.k'+'ey').read())"; cat open.txt`,
	} {
		res := runs(t, kit, args{"command": line})
		if strings.Contains(res.Text(), "HIDDEN") || code(res) == "" && !strings.Contains(res.Text(), "shown") {
			t.Errorf("%s: %v %q", line, res.Err, res.Text())
		}
	}
}

// Where the secrets are is remembered, by a process that lasts and for those that follow: what came a moment before the
// command is hidden all the same.
func TestUnaskedCommandsDoNotSeeSecretsThatJustCame(t *testing.T) {
	cache, dir := t.TempDir(), t.TempDir()
	h, lasting := carefully(t, builtin.Options{Dirs: []string{dir}, Cache: cache, Resident: true})
	h.put(".gitignore", "out/\n.env*\n")
	h.put("old/deep/x", "shown\n")
	h.put("out/x", "shown\n")
	for i := range 100 { // so many that it is worth a file
		h.put(fmt.Sprintf("many/%d/x", i), "shown\n")
	}
	time.Sleep(300 * time.Millisecond) // until the times of directories are old enough to be trusted
	line := args{"command": "find . -type f -exec cat {} +; true"}
	for range 3 {
		runs(t, lasting, line)
	}
	again := func(name string) {
		t.Helper()
		_, once := carefully(t, builtin.Options{Dirs: []string{dir}, Cache: cache})
		for who, kit := range map[string]*tool.Kit{"lasting": lasting, "once": once} {
			res := runs(t, kit, line)
			if strings.Contains(res.Text(), "HIDDEN") || !strings.Contains(res.Text(), "shown") {
				t.Errorf("%s, %s: %q", name, who, res.Text())
			}
		}
	}
	again("nothing")
	h.put("old/deep/.env", "HIDDEN\n")
	again("an old directory")
	h.put("new/er/server.key", "HIDDEN\n")
	again("a new directory")
	h.put("out/id_rsa", "HIDDEN\n")
	again("an ignored directory")
	h.put("old/name", "HIDDEN\n")
	err := os.Rename(filepath.Join(dir, "old/name"), filepath.Join(dir, "old/.env.local"))
	if err != nil {
		t.Fatal(err)
	}
	again("a rename")
	err = os.Rename(filepath.Join(dir, "old"), filepath.Join(dir, "many/old"))
	if err != nil {
		t.Fatal(err)
	}
	again("a directory that was moved")
	h.put("young", "HIDDEN\n")
	err = os.Rename(filepath.Join(dir, "young"), filepath.Join(dir, ".env.production"))
	if err != nil {
		t.Fatal(err)
	}
	again("the root")
}
