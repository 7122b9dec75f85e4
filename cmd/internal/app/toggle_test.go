package app

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helve/internal/config"
	"helve/tool"
	"helve/wrap"
)

// The 27 tests of seed 3, in its five groups (R3.15).

// structure are the names of the 18 tools that they are about.
var structure = []string{"get_project_summary", "list_files", "get_structure_summary", "get_functions", "get_classes", "get_imports", "get_function_source", "get_class_source",
	"find_symbol", "get_dependencies", "get_dependents", "get_change_impact", "get_call_chain", "get_file_dependencies", "get_file_dependents", "search_codebase", "reindex", "get_usage_stats"}

// An index is a kit of these tools under a workspace's configuration.
type indexKit struct {
	*tool.Kit
	app     *app
	said    bytes.Buffer
	counts  wrap.Counter
	ran     []string
	disable []string
}

// newIndex makes one. toml is the project's file, "-" for none; flag is --disabled-tools, "-" for not given.
func newIndex(t *testing.T, toml, flag string) *indexKit {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, "work")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if toml != "-" {
		if err := os.WriteFile(filepath.Join(dir, config.CodebaseIndexFile), []byte(toml), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	x := &indexKit{}
	x.app = &app{env: Environment{Stderr: &x.said, Dir: dir, Environ: []string{"HOME=" + home}, Managed: filepath.Join(home, "etc")}}
	if flag != "-" {
		x.app.flags.disabled.Set(flag)
	}
	c, err := x.app.load(dir)
	if err != nil {
		t.Fatal(err)
	}
	x.furnish(t, c, dir)
	return x
}

func (x *indexKit) furnish(t *testing.T, c *config.Config, dir string) {
	t.Helper()
	h := &house{dir: dir, reg: &tool.Registry{}}
	var err error
	if h.set, err = chosen(c); err != nil {
		t.Fatal(err)
	}
	var specs []*tool.Spec
	for _, name := range structure {
		tl := tool.New(tool.Spec{Name: name, Kind: tool.Read, Category: "code", Origin: tool.Origin{Kind: tool.Builtin, Name: name}},
			func(context.Context, *tool.Call, struct{}) (*tool.Result, error) {
				x.ran = append(x.ran, name)
				return tool.Textf("ran"), nil
			})
		specs = append(specs, tl.Spec())
		if err := h.reg.Add(tl); err != nil {
			t.Fatal(err)
		}
	}
	if h.rules, err = h.set.rules(x.app, dir, specs); err != nil {
		t.Fatal(err)
	}
	x.Kit = h.reg.Kit(tool.KitOptions{Policy: h.rules, Around: []func(tool.Caller) tool.Caller{x.counts.Count}})
	if err := x.app.checkNames(h); err != nil {
		t.Fatal(err)
	}
	x.disable = disabledNames(x.View())
}

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
		if n := newIndex(t, "-", "-").View().Len(); n != 18 {
			t.Errorf("%d tools, want 18", n)
		}
	})
	t.Run("two disabled", func(t *testing.T) {
		v := newIndex(t, "-", "search_codebase,get_call_chain").View()
		if v.Len() != 16 || v.Has("search_codebase") || v.Has("get_call_chain") {
			t.Errorf("%d tools, want 16 without the two", v.Len())
		}
	})
	t.Run("protected tools are always there", func(t *testing.T) {
		v := newIndex(t, "-", strings.Join(structure, ",")).View()
		if v.Len() != 2 || !v.Has("reindex") || !v.Has("get_usage_stats") {
			t.Errorf("%d tools", v.Len())
		}
	})
}

func TestCallToolGuard(t *testing.T) {
	x := newIndex(t, "-", "search_codebase")
	call := func(name string) string {
		res, err := x.Call(t.Context(), &tool.Call{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		return res.Text()
	}
	t.Run("a disabled tool answers with its name", func(t *testing.T) {
		if got, _, _ := strings.Cut(call("search_codebase"), "\n"); got != "Error: tool 'search_codebase' is disabled." {
			t.Errorf("%q", got)
		}
	})
	t.Run("a disabled tool is not counted", func(t *testing.T) {
		call("search_codebase")
		if u := x.counts.Usage(); len(u) != 0 || len(x.ran) != 0 {
			t.Errorf("counted %+v, ran %q", u, x.ran)
		}
	})
	t.Run("an enabled tool proceeds", func(t *testing.T) {
		if got := call("list_files"); got != "ran" || len(x.counts.Usage()) != 1 {
			t.Errorf("%q, %+v", got, x.counts.Usage())
		}
	})
}

func TestCliParsing(t *testing.T) {
	parse := func(t *testing.T, args ...string) (list []string, said string) {
		t.Helper()
		var errs bytes.Buffer
		a := &app{env: Environment{Stderr: &errs}}
		cmd, _, err := a.root().Find([]string{"serve"})
		if err != nil {
			t.Fatal(err)
		}
		if err := a.parseTolerantly(cmd, args); err != nil {
			t.Fatal(err)
		}
		return a.configFlags().DisabledTools, errs.String()
	}
	for _, c := range []struct {
		name          string
		args          []string
		want, unknown []string
	}{
		{"--disabled-tools", []string{"--disabled-tools", "a,b"}, []string{"a", "b"}, nil},
		{"whitespace stripped", []string{"--disabled-tools= a , b "}, []string{"a", "b"}, nil},
		{"no flag", nil, nil, nil},
		{"unknown args do not end the program", []string{"--host-flag", "value", "-x", "--y=1"}, nil, []string{"--host-flag", "value", "-x", "--y=1"}},
		{"unknown args beside --disabled-tools", []string{"--foo", "bar", "--disabled-tools", "a", "--quiet", "--baz"}, []string{"a"}, []string{"--foo", "bar", "--baz"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, said := parse(t, c.args...)
			if !slices.Equal(got, c.want) || (got == nil) != (c.want == nil) || (said == "") != (c.unknown == nil) {
				t.Errorf("%q: %q, said %q; want %q", c.args, got, said, c.want)
			}
			for _, u := range c.unknown {
				if !strings.Contains(said, u) {
					t.Errorf("%q: nothing is said of %q in %q", c.args, u, said)
				}
			}
		})
	}
}
