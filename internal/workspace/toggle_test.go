package workspace_test

import (
	"slices"
	"strings"
	"testing"

	"helve/codetool"
	"helve/internal/config"

	. "helve/internal/workspace"
)

// The 27 tests of seed 3, in its five groups (R3.15).

// structure are the names of the 18 tools that they are about.
var structure = []string{"get_project_summary", "list_files", "get_structure_summary", "get_functions", "get_classes", "get_imports", "get_function_source", "get_class_source",
	"find_symbol", "get_dependencies", "get_dependents", "get_change_impact", "get_call_chain", "get_file_dependencies", "get_file_dependents", "search_codebase", "reindex", "get_usage_stats"}

// An indexKit is a workspace with these tools alone, as far as its configuration leaves them.
type indexKit struct {
	*Assembly
	place
	disable []string
}

// newIndex opens one. toml is the project's file, "-" for none; flag is --disabled-tools, "-" for not given.
func newIndex(t *testing.T, toml, flag string) indexKit {
	t.Helper()
	p := newPlace(t)
	if toml != "-" {
		p.put(config.CodebaseIndexFile, toml)
	}
	w := p.open(func(o *Options) {
		o.Profile = "codebase-index"
		if flag != "-" {
			o.Layers.DisabledTools = config.ParseList(flag)
		}
	})
	return indexKit{w, p, w.Disabled()}
}

// listed are those of the tools that are listed.
func (x indexKit) listed() []string { return codeNames(x.Kit().View().Specs()) }

func wantDisabled(t *testing.T, toml, flag, warning string, want ...string) {
	t.Helper()
	x := newIndex(t, toml, flag)
	slices.Sort(want)
	if !slices.Equal(x.disable, want) {
		t.Errorf("%q with --disabled-tools %q disables %q, want %q", toml, flag, x.disable, want)
	}
	if said := x.said.String(); (warning == "") != (said == "") || !strings.Contains(said, warning) {
		t.Errorf("%q with --disabled-tools %q says %q, want %q", toml, flag, said, warning)
	}
}

func TestLoadDisabledToolsFromConfig(t *testing.T) {
	for _, c := range []struct {
		name, toml, warning string
		want                []string
	}{
		{"no config file", "-", "", nil},
		{"valid config with two tools", `disabled_tools = ["search_codebase", "get_call_chain"]`, "", []string{"search_codebase", "get_call_chain"}},
		{"empty list", `disabled_tools = []`, "", nil},
		{"a string instead of a list", `disabled_tools = "search_codebase"`, "want a list of strings", nil},
		{"a list of non-strings", `disabled_tools = [1, 2]`, "want a list of strings", nil},
		{"malformed TOML", `disabled_tools = [`, "its disabled_tools are ignored", nil},
		{"key missing", `other = 1`, "", nil},
		{"whitespace stripped", `disabled_tools = [" search_codebase ", "\tget_call_chain"]`, "", []string{"search_codebase", "get_call_chain"}},
		{"blank strings filtered", `disabled_tools = ["", "  ", "search_codebase"]`, "", []string{"search_codebase"}},
	} {
		t.Run(c.name, func(t *testing.T) { wantDisabled(t, c.toml, "-", c.warning, c.want...) })
	}
}

func TestInitDisabledTools(t *testing.T) {
	for _, c := range []struct {
		name, toml, flag, warning string
		want                      []string
	}{
		{"CLI only", "-", "search_codebase,get_call_chain", "", []string{"search_codebase", "get_call_chain"}},
		{"config only", `disabled_tools = ["list_files"]`, "-", "", []string{"list_files"}},
		{"CLI and config are united", `disabled_tools = ["list_files"]`, "search_codebase", "", []string{"list_files", "search_codebase"}},
		{"protected tools stay", "-", "reindex,get_usage_stats,list_files", `"reindex" is protected and stays`, []string{"list_files"}},
		{"unknown tools are dropped", "-", "serch_codebase,list_files", `there is no tool "serch_codebase": did you mean "search_codebase"?`, []string{"list_files"}},
		{"empty CLI list", "-", "", "", nil},
		{"no CLI and no config", "-", "-", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) { wantDisabled(t, c.toml, c.flag, c.warning, c.want...) })
	}
}

func TestListToolsFiltering(t *testing.T) {
	t.Run("no disabled tools", func(t *testing.T) {
		if got := newIndex(t, "-", "-").listed(); len(got) != 18 {
			t.Errorf("%q, want 18", got)
		}
	})
	t.Run("two disabled", func(t *testing.T) {
		x := newIndex(t, "-", "search_codebase,get_call_chain")
		v := x.Kit().View()
		if len(x.listed()) != 16 || v.Has("search_codebase") || v.Has("get_call_chain") {
			t.Errorf("%q, want 16 without the two", x.listed())
		}
	})
	t.Run("protected tools are always there", func(t *testing.T) {
		got := newIndex(t, "-", strings.Join(structure, ",")).listed()
		if !slices.Equal(got, []string{"get_usage_stats", "reindex"}) {
			t.Errorf("%q", got)
		}
	})
}

func TestCallToolGuard(t *testing.T) {
	x := newIndex(t, "-", "search_codebase")
	call := func(name string) (text string, counted int) {
		w := x.open(func(o *Options) { o.Layers.DisabledTools = []string{"search_codebase"} })
		text = ask(t, w, name, `{}`).Text()
		if err := w.Close(); err != nil { // the counts are kept then
			t.Fatal(err)
		}
		used, err := Records{w.StateDir()}.Usage()
		if err != nil {
			t.Fatal(err)
		}
		return text, len(used)
	}
	t.Run("a disabled tool answers with its name", func(t *testing.T) {
		text, _ := call("search_codebase")
		if first, _, _ := strings.Cut(text, "\n"); first != "Error: tool 'search_codebase' is disabled." {
			t.Errorf("%q", first)
		}
	})
	t.Run("a disabled tool is not counted, and does not run", func(t *testing.T) {
		if _, counted := call("search_codebase"); counted != 0 || Kept[*codetool.Index](x.Assembly).Working() {
			t.Errorf("%d tools are counted; working: %v", counted, Kept[*codetool.Index](x.Assembly).Working())
		}
	})
	t.Run("an enabled tool proceeds", func(t *testing.T) {
		if text, counted := call("list_files"); strings.HasPrefix(text, "Error") || counted != 1 {
			t.Errorf("%q, %d tools are counted", text, counted)
		}
	})
}
