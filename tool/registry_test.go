package tool_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"helve/tool"
)

func server(name string, tools ...string) []tool.Tool {
	var out []tool.Tool
	for _, n := range tools {
		out = append(out, with(tool.Spec{Name: n, Kind: tool.Read, Origin: tool.Origin{Kind: tool.MCP, Server: name, Name: n}}, done))
	}
	return out
}

// R4.12, ⚑3.
func TestARegistrationTwiceIsRefusedAsAWhole(t *testing.T) {
	r := registry(t, echo("read"))
	if err := r.Add(echo("grep"), echo("read")); err == nil || !strings.Contains(err.Error(), "read") {
		t.Errorf("error = %v, want one that names read", err)
	}
	if r.View().Len() != 1 {
		t.Errorf("%q: half of a refused registration stands", names(r.View()))
	}
	if err := r.Add(echo("a"), echo("a")); err == nil || r.View().Len() != 1 {
		t.Errorf("error = %v, %q", err, names(r.View()))
	}
}

func TestAnOutsideSourceNeverReplacesABuiltin(t *testing.T) {
	own := tool.Origin{Kind: tool.Builtin, Name: "read"}
	r := registry(t, with(tool.Spec{Name: "read", Kind: tool.Read, Origin: own}, done))
	if err := r.Set("evil", []tool.Tool{with(tool.Spec{Name: "read", Origin: own}, done)}); err == nil {
		t.Error("replaced")
	}
	if err := r.Set("evil", server("evil", "read", "read")); err != nil {
		t.Error(err)
	}
	if got := names(r.View()); !slices.Equal(got, []string{"read", "mcp__evil__read"}) {
		t.Errorf("%q", got)
	}
}

func TestSetReplacesWhatASourceBroughtAndNothingElse(t *testing.T) {
	r := registry(t, echo("read"))
	for _, c := range []struct {
		tools []tool.Tool
		want  string
	}{
		{server("s", "a", "b"), "read mcp__s__a mcp__s__b"},
		{server("s", "b", "c"), "read mcp__s__b mcp__s__c"},
		{nil, "read"},
	} {
		if err := r.Set("s", c.tools); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(names(r.View()), " "); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// R1.3, R4.12: removal keeps every index true.
func TestWhatIsRemovedIsGoneFromEveryIndex(t *testing.T) {
	r := registry(t,
		with(tool.Spec{Name: "a", Title: "Zed", Kind: tool.Read, Category: "file", Tags: []string{"io"}, Doc: tool.Doc{Short: "opens a box"}}, done),
		with(tool.Spec{Name: "b", Title: "Ann", Kind: tool.Write, Category: "file", Tags: []string{"io"}}, done))
	if err := r.Add(server("s", "c")...); err != nil {
		t.Fatal(err)
	}
	list := func(v *tool.View) string {
		row := func(label string, specs []*tool.Spec) string {
			var out []string
			for _, s := range specs {
				out = append(out, s.Name)
			}
			return label + "=" + strings.Join(out, ",")
		}
		return strings.Join([]string{
			row("all", v.Specs()), row("title", v.ByTitle()), row("file", v.Where(tool.InCategory("file"))), row("io", v.Where(tool.Tagged("io"))),
			row("write", v.Where(tool.OfKind(tool.Write))), row("from s", v.Where(tool.From("s"))), row("box", v.Search("BOX")), row("zed", v.Search("zed")),
			fmt.Sprint(v.Counts()), fmt.Sprint(v.Has("a"), v.Has("b"), v.Has("c")),
		}, " ")
	}
	if got, want := list(r.View()), "all=a,b,c title=b,c,a file=a,b io=a,b write=b from s=c box=a zed=a map[go:2 mcp:1] true true true"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if !r.Remove("a") || r.Remove("a") || !r.Remove("mcp__s__c") {
		t.Error("Remove does not tell whether the tool was there")
	}
	if got, want := list(r.View()), "all=b title=b file=b io=b write=b from s= box= zed= map[go:1] false true false"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if err := r.Add(echo("a")); err != nil {
		t.Errorf("a removed name stays taken: %v", err)
	}
}

// R1.25.
func TestAnAllowListSkipsEveryOtherToolWithAWarning(t *testing.T) {
	var log strings.Builder
	r := &tool.Registry{Admit: tool.Named("read", "s/a"), Log: slog.New(slog.NewTextHandler(&log, nil))}
	if err := errors.Join(r.Add(echo("read"), echo("bash")), r.Set("s", server("s", "a", "b"))); err != nil {
		t.Fatal(err)
	}
	if got := names(r.View()); !slices.Equal(got, []string{"read", "mcp__s__a"}) {
		t.Errorf("%q", got)
	}
	for _, n := range []string{"go:bash", "mcp:s/b"} {
		if !strings.Contains(log.String(), n) {
			t.Errorf("no warning names %s: %s", n, log.String())
		}
	}
}

// R1.24: who listens sees what has come and what has gone.
func TestChangesAreTheDifferenceOfTwoViews(t *testing.T) {
	r := registry(t, echo("read"))
	old := r.View()
	if err := r.Add(echo("grep")); err != nil {
		t.Fatal(err)
	}
	r.Remove("read")
	come, gone := tool.Changes(old, r.View())
	if len(come) != 1 || come[0].Name != "grep" || len(gone) != 1 || gone[0].Name != "read" {
		t.Errorf("registered %v, unregistered %v", come, gone)
	}
}

func TestWatchYieldsEveryStateThatLasts(t *testing.T) {
	r := registry(t, echo("a"))
	k := r.Kit(tool.KitOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := 0
	for v := range k.Watch(ctx) {
		seen++
		if v.Len() == 4 {
			break
		}
		if err := r.Add(echo(fmt.Sprintf("t%d", seen))); err != nil {
			t.Fatal(err)
		}
	}
	if seen != 4 {
		t.Errorf("saw %d views, want 4", seen)
	}
	cancel()
	for range k.Watch(ctx) {
		t.Error("a done watch yields")
	}
}

func TestAViewNeverChangesAndIsKeptUntilItMust(t *testing.T) {
	r := registry(t, echo("a"))
	k := r.Kit(tool.KitOptions{})
	v := k.View()
	if k.View() != v {
		t.Error("another view although nothing changed")
	}
	if err := r.Add(echo("b")); err != nil {
		t.Fatal(err)
	}
	if v.Len() != 1 || k.View().Len() != 2 {
		t.Errorf("old view %d tools, new view %d", v.Len(), k.View().Len())
	}
}

type revised struct {
	rules
	n uint64
}

func (r *revised) Revision() uint64 { return r.n }

func TestAKitFollowsAPolicyThatChanges(t *testing.T) {
	p := &revised{}
	k := registry(t, echo("a")).Kit(tool.KitOptions{Policy: p})
	if k.View().Len() != 1 {
		t.Fatal("not offered")
	}
	p.lists, p.n = func(*tool.Spec) tool.Verdict { return tool.Verdict{} }, 1
	if k.View().Len() != 0 {
		t.Error("still offered after the policy changed")
	}
}

// A later upstream never renames an earlier tool, and one that comes back has its name again.
func TestNamesStayWithTheirTools(t *testing.T) {
	r := registry(t, echo("read"))
	k := r.Kit(tool.KitOptions{Names: tool.PlainNames})
	set := func(s string, tools ...string) {
		if err := r.Set(s, server(s, tools...)); err != nil {
			t.Fatal(err)
		}
		k.View()
	}
	set("z", "list")
	set("a", "list", "read")
	if got, want := strings.Join(names(k.View()), " "), "read a__list a__read list"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	set("z")
	set("b", "list")
	set("z", "list")
	if got, want := strings.Join(names(k.View()), " "), "read a__list a__read b__list list"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestTwoRegistrationsAtTheSameTimeAreOne(t *testing.T) {
	r := &tool.Registry{}
	var wg sync.WaitGroup
	errs := make([]error, 16)
	for i := range errs {
		wg.Go(func() { errs[i] = r.Add(echo("same"), echo(fmt.Sprint("own", i))) })
	}
	wg.Go(func() {
		for range 100 {
			r.View().Search("own")
		}
	})
	wg.Wait()
	failed := 0
	for _, err := range errs {
		if err != nil {
			failed++
		}
	}
	if failed != 15 || r.View().Len() != 2 {
		t.Errorf("%d of 16 refused, %q stands", failed, names(r.View()))
	}
}

type source struct {
	name   string
	tools  []tool.Tool
	err    error
	change chan struct{}
	closed bool
}

func (s *source) Name() string                               { return s.name }
func (s *source) Tools(context.Context) ([]tool.Tool, error) { return s.tools, s.err }
func (s *source) Close() error                               { s.closed = true; return nil }
func (s *source) Watch(ctx context.Context, changed func()) {
	for {
		select {
		case <-s.change:
			changed()
		case <-ctx.Done():
			return
		}
	}
}

// R1.4, R1.9: a source that fails leaves the others and the built-ins in place.
func TestAFailedSourceIsMissingAndNothingElse(t *testing.T) {
	r := registry(t, echo("read"))
	good := &source{name: "good", tools: server("good", "a")}
	bad := &source{name: "bad", err: errors.New("no route")}
	if err := r.Attach(t.Context(), good); err != nil {
		t.Error(err)
	}
	if err := r.Attach(t.Context(), bad); err == nil || !strings.Contains(err.Error(), "no route") {
		t.Errorf("error = %v", err)
	}
	if err := r.Attach(t.Context(), bad); err == nil {
		t.Error("attached twice")
	}
	st := r.Sources()
	if len(st) != 2 || !st[0].Missing || st[0].Err != "no route" || st[0].Since.IsZero() || st[1].Missing || st[1].Tools != 1 {
		t.Errorf("sources: %+v", st)
	}
	good.err = errors.New("gone")
	if err := r.Refresh(t.Context(), "good", "nobody"); err == nil || r.View().Len() != 2 {
		t.Errorf("a failed listing took the tools away: %q, %v", names(r.View()), err)
	}
	bad.err, bad.tools = nil, server("bad", "b")
	good.err = nil
	if err := r.Refresh(t.Context()); err != nil || r.View().Len() != 3 {
		t.Errorf("%v, %q", err, names(r.View()))
	}
	if was, err := r.Detach("good"); !was || err != nil || !good.closed || r.View().Len() != 2 {
		t.Errorf("detached %v, %v, closed %v, %q", was, err, good.closed, names(r.View()))
	}
	if err := r.Close(); err != nil || !bad.closed {
		t.Error("not closed", err)
	}
}

func TestAWatchedSourceIsListedAgain(t *testing.T) {
	r := &tool.Registry{}
	s := &source{name: "s", change: make(chan struct{})}
	if err := r.Attach(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	k := r.Kit(tool.KitOptions{})
	s.tools = server("s", "late")
	s.change <- struct{}{}
	for v := range k.Watch(t.Context()) {
		if v.Len() == 1 {
			return
		}
	}
}

func FuzzNoTwoToolsShareAName(f *testing.F) {
	f.Add("a", "b_c", "a_b", "c")
	f.Add("a", "b__c", "a__b", "c")
	f.Add("s", "读", "s", "写")
	f.Add("s", "x y", "s", "x_y")
	f.Fuzz(func(t *testing.T, s1, t1, s2, t2 string) {
		for _, how := range []tool.Names{tool.QualifiedNames, tool.PlainNames} {
			r := &tool.Registry{}
			ids := map[tool.Origin]bool{}
			for _, o := range []tool.Origin{{Kind: tool.MCP, Server: s1, Name: t1}, {Kind: tool.MCP, Server: s2, Name: t2}, {Kind: tool.Command, Name: t1},
				{Kind: tool.Command, Name: t2}, {Kind: tool.Builtin, Name: t1}} {
				raw, err := tool.Raw(tool.Spec{Name: o.Name, Origin: o, Kind: tool.Read}, nil)
				if err == nil && r.Add(raw) == nil {
					ids[o] = true
				}
			}
			k := r.Kit(tool.KitOptions{Names: how, Policy: rules{}})
			got := names(k.View())
			unique := slices.Compact(slices.Sorted(slices.Values(got)))
			if len(unique) != len(ids) {
				t.Errorf("%d tools have %d names: %q", len(ids), len(unique), got)
			}
		}
	})
}
