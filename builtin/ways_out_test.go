package builtin_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"helve/builtin"
	"helve/policy"
	"helve/tool"
)

// hiddenText is what stands in the file outside.
const hiddenText = "outside-b41f7"

// spellings of a file outside, its folder, or ways there. The workspace has links to both.
func waysOut(work, outside string) []string {
	up := strings.Repeat("../", 30)
	rel, _ := filepath.Rel(work, outside)
	at := []string{outside, rel, up + outside[1:], "sub/../" + rel, "./" + rel, "//" + outside, "/" + outside[1:] + "/.", "/proc/self/root" + outside,
		"/proc/self/cwd/../../../" + up + outside[1:], "/dev/fd/../../.." + outside, "/proc/thread-self/root" + outside, "out", "out/", "out/.", "out//", "./out",
		"sub/../out", "chain", "relative", "sub/deep", "everything" + outside, "everything/proc/self/root" + outside, "OUT", "out\\..\\" + rel, "．．/" + rel,
		"%2e%2e/" + rel, "file://" + outside, "~/../" + rel, "$PWD/../" + rel, "${HOME}/../" + rel, strings.Repeat("sub/../", 200) + rel, "sub/../../" + filepath.Base(work) + "/" + rel}
	var out []string
	for _, way := range at {
		out = append(out, way, strings.TrimSuffix(way, "/")+"/kept.txt", way+"/sub/../kept.txt", way+"\x00", way+"\n", " "+way)
	}
	return append(out, "file", "file/", "./file", "sub/../file", "FILE", "loop", "loop/kept.txt")
}

// No spelling of a path, and no link, leads a tool out of the workspace: nothing outside is shown, made or changed, also
// in mode auto.
func TestNoPathLeadsAToolOut(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work, outside := filepath.Join(base, "work"), filepath.Join(base, "outside")
	kept := filepath.Join(outside, "kept.txt")
	for _, dir := range []string{filepath.Join(work, "sub"), outside} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(kept, []byte(hiddenText+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"out": outside, "chain": "out", "relative": "../outside", "sub/deep": "../../outside", "everything": "/", "file": kept, "loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(work, name)); err != nil {
			t.Fatal(err)
		}
	}
	h := open(t, builtin.Options{Dirs: []string{work}})
	h.put("inside.txt", "inside\n")
	reg := &tool.Registry{}
	if err := reg.Add(builtin.All(h.ws)...); err != nil {
		t.Fatal(err)
	}
	h.kit = reg.Kit(tool.KitOptions{Policy: policy.Auto})
	tried := 0
	for _, way := range waysOut(work, outside) {
		for name, in := range map[string]args{
			"read":       {"file_path": way},
			"ls":         {"path": way},
			"grep":       {"pattern": "outside-", "path": way},
			"glob":       {"pattern": "*", "path": way},
			"write":      {"file_path": way, "contents": "changed"},
			"edit":       {"file_path": way, "old_string": hiddenText, "new_string": "changed"},
			"multi_edit": {"file_path": way, "edits": []args{{"old_string": hiddenText, "new_string": "changed"}}},
		} {
			tried++
			res := h.call(name, in)
			text := strings.ReplaceAll(res.Text(), way, "") // errors repeat the path
			if strings.Contains(text, hiddenText) || res.Err == nil && strings.Contains(text, "kept.txt") {
				t.Errorf("%s %q shows what lies outside: %s", name, way, res.Text())
			}
		}
	}
	for _, pattern := range []string{"**", "**/kept.txt", "out/**", "../**/kept.txt", outside + "/*", "{out,sub}/*", "*/*", "everything/**/kept.txt", "[o]ut/kept.txt"} {
		tried++
		if res := h.call("glob", args{"pattern": pattern}); res.Err == nil && strings.Contains(strings.ReplaceAll(res.Text(), pattern, ""), "kept.txt") {
			t.Errorf("glob %q lists what lies outside: %s", pattern, res.Text())
		}
		if res := h.call("grep", args{"pattern": "outside-", "glob": pattern}); strings.Contains(res.Text(), hiddenText) {
			t.Errorf("grep in %q shows what lies outside: %s", pattern, res.Text())
		}
	}
	list, err := os.ReadDir(outside)
	text, _ := os.ReadFile(kept)
	if err != nil || len(list) != 1 || string(text) != hiddenText+"\n" {
		t.Errorf("outside lies %v, with %q: %v", list, text, err)
	}
	all, err := os.ReadDir(base)
	if err != nil || len(all) != 2 {
		t.Errorf("beside the workspace lies %v: %v", all, err)
	}
	if h.call("read", args{"file_path": "inside.txt"}).Err != nil {
		t.Error("nothing can be read at all: nothing was tested")
	}
	t.Logf("%d calls", tried)
}
