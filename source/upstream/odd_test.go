package upstream

import (
	"fmt"
	"strings"
	"testing"

	"helve/tool"
)

// A server whose list is another one each time it is asked is followed, damped, and its calls are served meanwhile.
func TestAServerThatListsDifferentlyEachTimeIsCalledMeanwhile(t *testing.T) {
	r := &tool.Registry{}
	defer r.Close()
	if err := r.Attach(t.Context(), newSource(t, stdioConfig("fickle"), Options{})); err != nil {
		t.Fatal(err)
	}
	k := r.Kit(tool.KitOptions{Policy: allow{}})
	first := toolNames(r)
	for i := range 50 {
		res := run(t, k, &tool.Call{Name: "mcp__srv__echo", Args: fmt.Appendf(nil, `{"text":"%d"}`, i)})
		if res.Err != nil || !strings.Contains(res.Text(), fmt.Sprint(i)) {
			t.Fatalf("call %d: %q, %v", i, res.Text(), res.Err)
		}
	}
	if got := toolNames(r); strings.Count(got, " ") != 1 || !strings.Contains(got, "echo") {
		t.Errorf("it lists %s; first %s", got, first)
	}
}

// Ten thousand tools are listed and called, and what is beyond the bound costs only itself.
func TestTenThousandToolsAreListed(t *testing.T) {
	r := &tool.Registry{}
	defer r.Close()
	s := newSource(t, stdioConfig("many:10000"), Options{})
	if err := r.Attach(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	specs := r.View().Specs()
	if len(specs) != 10_000 {
		t.Fatalf("%d tools, findings %.300v", len(specs), s.Findings())
	}
	last := specs[len(specs)-1].Name
	if res := run(t, r.Kit(tool.KitOptions{Policy: allow{}}), &tool.Call{Name: last, Args: []byte(`{"path":"x"}`)}); res.Err != nil {
		t.Errorf("%s: %v", last, res.Err)
	}
}

// Two sessions of one client in different folders: a server hears of each folder from the session that is in it.
func TestTwoSessionsOfAClientHaveTheirOwnRoots(t *testing.T) {
	k := attached(t, newSource(t, stdioConfig("roots"), Options{}))
	var sessions []*tool.Session
	for _, dir := range []string{"/srv/one", "/srv/two"} {
		s := capableOf(`{"roots":{}}`)
		s.Roots = []tool.Root{{Name: "work", Path: dir}}
		defer s.Close()
		sessions = append(sessions, s)
	}
	for range 3 { // in turn: neither takes over the other's connection
		for i, s := range sessions {
			res := run(t, k, &tool.Call{Name: "echo", Session: s})
			own, other := sessions[i].Roots[0].Path, sessions[1-i].Roots[0].Path
			if !strings.Contains(res.Text(), "file://"+own) || strings.Contains(res.Text(), other) {
				t.Errorf("the session in %s: %q, %v", own, res.Text(), res.Err)
			}
		}
	}
}
