package workspace_test

import (
	"slices"
	"testing"

	"helve/server"
	"helve/tool"

	. "helve/internal/workspace"
)

func codeNames(specs []*tool.Spec) (out []string) {
	for _, s := range specs {
		if s.Category == "code" {
			out = append(out, s.Name)
		}
	}
	return out
}

// questions are the names of the code tools that the default profile lists.
var questions = []string{"explore", "find", "impact", "outline", "path", "source", "used_by", "uses"}

func TestTheDefaultProfileListsEightCodeToolsAndKnowsAll(t *testing.T) {
	w := newPlace(t).open()
	v := w.Kit().View()
	want := questions
	if got := codeNames(v.Specs()); !slices.Equal(got, want) {
		t.Errorf("listed: %q, want %q", got, want)
	}
	for _, n := range slices.Concat(questions, structure) {
		if tl, ok := v.Get(n); !ok || tl.Spec().Name != n || v.Name(tl.Spec()) != n {
			t.Errorf("%s cannot be called, or its name means another tool", n)
		}
	}
	all := newPlace(t).open(func(o *Options) { o.Profile = "codebase-index" })
	eighteen := slices.Sorted(slices.Values(structure))
	if got := codeNames(all.Kit().View().Specs()); !slices.Equal(got, eighteen) {
		t.Errorf("codebase-index lists %q", got)
	}
	made := newPlace(t).put(userConfig, `{"clients": {"ci": {"profile": "codebase-index"}}}`)
	ci := made.open(func(o *Options) { o.Profile = "ci" })
	if got := codeNames(ci.Kit().View().Specs()); len(got) != len(structure) {
		t.Errorf("a profile that is made of codebase-index lists %q", got)
	}
}

func TestADisabledCodeToolIsNeitherListedNorCallable(t *testing.T) {
	w := newPlace(t).open(func(o *Options) { o.Layers.DisabledTools = []string{"get_call_chain", "find"} })
	v := w.Kit().View()
	if v.Has("get_call_chain") || v.Has("find") || slices.Contains(codeNames(v.Unlisted()), "get_call_chain") {
		t.Error("a disabled tool is there")
	}
}

// codeListBytes is what the core code tools may cost in tools/list. JSON schemas and English have 3.5 bytes a token or more in o200k
// (R3.1: 900 tokens).
const codeListBytes = 900 * 7 / 2

func TestTheListOfCoreCodeToolsIsSmall(t *testing.T) {
	w := newPlace(t).open()
	v, size := w.Kit().View(), 0
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
