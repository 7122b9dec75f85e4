package upstream

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"helve/tool"
)

func listedNames(v *tool.View) string {
	var out []string
	for _, s := range v.Specs() {
		out = append(out, v.Name(s))
	}
	return strings.Join(out, " ")
}

func raw(t *testing.T, o tool.Origin) tool.Tool {
	t.Helper()
	tl, err := tool.Raw(tool.Spec{Name: o.Name, Kind: tool.Read, Origin: o}, func(context.Context, *tool.Call, json.RawMessage) (*tool.Result, error) {
		return tool.Textf(""), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tl
}

// found is a discoverer of somebody's own.
type found []tool.Tool

func (found) Name() string                                 { return "command" }
func (f found) Tools(context.Context) ([]tool.Tool, error) { return f, nil }

// R1.1, R1.2, R1.4, R1.23: tools of every origin side by side; each kind is rediscovered alone; nothing replaces a built-in tool.
func TestToolsOfEveryOriginStandSideBySide(t *testing.T) {
	r := &tool.Registry{}
	defer r.Close()
	if err := r.Add(raw(t, tool.Origin{Kind: tool.Builtin, Name: "echo"})); err != nil {
		t.Fatal(err)
	}
	if err := r.Attach(t.Context(), found{raw(t, tool.Origin{Kind: tool.Command, Name: "echo"}), raw(t, tool.Origin{Kind: tool.Command, Name: "make"})}); err != nil {
		t.Fatal(err)
	}
	if err := r.Attach(t.Context(), newSource(t, stdioConfig("good"), Options{})); err != nil {
		t.Fatal(err)
	}
	const all = "echo cmd__echo make mcp__srv__echo"
	if got := listedNames(r.View()); got != all {
		t.Fatalf("%s, want %s", got, all)
	}
	counts := r.View().Counts()
	if counts[tool.Builtin] != 1 || counts[tool.Command] != 2 || counts[tool.MCP] != 1 {
		t.Errorf("%v", counts)
	}
	for _, sources := range [][]string{nil, {"srv"}, {"command"}, {"no-such-server"}} { // all, MCP only, one, unknown
		if err := r.Refresh(t.Context(), sources...); err != nil || listedNames(r.View()) != all {
			t.Errorf("%q: %s, %v", sources, listedNames(r.View()), err)
		}
	}
	if _, err := r.Detach("srv"); err != nil || listedNames(r.View()) != "echo cmd__echo make" {
		t.Errorf("%s, %v", listedNames(r.View()), err)
	}
}

// R1.14, R1.15: plain names, and server__tool where they meet.
func TestPlainNamesAreQualifiedWhereTheyMeet(t *testing.T) {
	r := &tool.Registry{}
	defer r.Close()
	for _, n := range []string{"one", "two"} {
		c := stdioConfig("good")
		c.Name = n
		if err := r.Attach(t.Context(), newSource(t, c, Options{})); err != nil {
			t.Fatal(err)
		}
	}
	v := r.Kit(tool.KitOptions{Policy: allow{}, Names: tool.PlainNames}).View()
	if got := strings.Fields(listedNames(v)); !slices.Equal(got, []string{"echo", "two__echo"}) {
		t.Errorf("%q", got)
	}
}

// R1.18: nobody is asked about a trusted server's tools once the policy knows; others are asked about with server and tool named.
func TestWhoeverIsAskedReadsServerAndTool(t *testing.T) {
	r := &tool.Registry{}
	defer r.Close()
	if err := r.Attach(t.Context(), newSource(t, stdioConfig("good"), Options{})); err != nil {
		t.Fatal(err)
	}
	var title, shown, key string
	k := r.Kit(tool.KitOptions{Ask: func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		title, shown, key = q.Job.Title, q.Preview.String(), q.Job.Signature
		return tool.Answer{Yes: true}, nil
	}})
	res := run(t, k, &tool.Call{Name: "echo", Args: json.RawMessage(`{"text":"x"}`)})
	if res.Err != nil || title != "echo (srv MCP Server)" || key != "srv.echo" || !strings.Contains(shown, "MCP server: srv\nTool: echo\nArguments: {\"text\":\"x\"}") {
		t.Errorf("%v: %q, %q, %q", res.Err, title, key, shown)
	}
}

// R1.20: a schema is kept as the server sent it; dialects rewrite it for their providers.
func TestASchemaIsKeptAsItIs(t *testing.T) {
	schema := `{"type":"object","properties":{"n":{"anyOf":[{"type":"integer"},{"type":"null"}],"default":3},"e":{"enum":[1,null,"x"]}}}`
	_, k := offering(t, `[{"name":"x","inputSchema":`+schema+`}]`)
	s := k.View().Specs()[0]
	if string(s.Input.JSON()) != schema || !strings.Contains(string(s.Wire), schema) {
		t.Errorf("%s\n%s", s.Input.JSON(), s.Wire)
	}
}
