package app

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"helve/server"
	"helve/tool"
)

// codeHouse opens a house of its own, with flags as the command line sets them.
func codeHouse(t *testing.T, set func(*app)) *house {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, "work")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	a := &app{env: Environment{Stdout: os.Stdout, Stderr: os.Stderr, Dir: dir, Environ: []string{"HOME=" + home}, Managed: filepath.Join(home, "etc")}}
	set(a)
	h, err := a.open(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

func codeNames(specs []*tool.Spec) (out []string) {
	for _, s := range specs {
		if s.Category == "code" {
			out = append(out, s.Name)
		}
	}
	return out
}

func TestTheDefaultProfileListsSevenCodeToolsAndKnowsAll(t *testing.T) {
	h := codeHouse(t, func(*app) {})
	v := h.kit.View()
	want := []string{"find_symbol", "get_change_impact", "get_dependents", "get_function_source", "get_structure_summary", "get_usage_stats", "reindex"}
	if got := codeNames(v.Specs()); !slices.Equal(got, want) {
		t.Errorf("listed: %q, want %q", got, want)
	}
	for _, n := range structure {
		if tl, ok := v.Get(n); !ok || tl.Spec().Name != n || v.Name(tl.Spec()) != n {
			t.Errorf("%s cannot be called, or its name means another tool", n)
		}
	}
	all := codeHouse(t, func(a *app) { a.flags.profile = "codebase-index" })
	if got := codeNames(all.kit.View().Specs()); len(got) != len(structure) {
		t.Errorf("codebase-index lists %q", got)
	}
}

func TestADisabledCodeToolIsNeitherListedNorCallable(t *testing.T) {
	h := codeHouse(t, func(a *app) { a.flags.disabled.Set("get_call_chain,find_symbol") })
	v := h.kit.View()
	if v.Has("get_call_chain") || v.Has("find_symbol") || slices.Contains(codeNames(v.Unlisted()), "get_call_chain") {
		t.Error("a disabled tool is there")
	}
}

// codeListBytes is what the core code tools may cost in tools/list. JSON schemas and English have 3.5 bytes a token or more in o200k
// (R3.1: 900 tokens).
const codeListBytes = 900 * 7 / 2

func TestTheListOfCoreCodeToolsIsSmall(t *testing.T) {
	h := codeHouse(t, func(*app) {})
	v, size := h.kit.View(), 0
	for _, s := range v.Specs() {
		if s.Category == "code" {
			size += len(server.Definition(s, v.Name(s)))
		}
	}
	if size > codeListBytes {
		t.Errorf("%d bytes, want at most %d", size, codeListBytes)
	}
	t.Logf("%d bytes", size)
}
