package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/cmd/internal/asking"
	"helve/policy"
	"helve/tool"
)

// testdata/grants has what two earlier versions wrote, each after "always" for a call of bash and for a rule on it. The
// rule means what it meant and goes on to count; the call hangs on a definition that is another now, and that is said.
func TestApprovalsOfOlderVersionsCountOrAreToldOf(t *testing.T) {
	files, err := filepath.Glob("testdata/grants/*.json")
	if err != nil || len(files) < 2 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		v := newVictim(t).put(userConfig, `{}`)
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		ws := v.open()
		var old []policy.Grant
		if err := json.Unmarshal([]byte(strings.ReplaceAll(string(b), "WORKSPACE", ws.Dir())), &old); err != nil || len(old) != 2 {
			t.Fatalf("%s: %v, %v", file, old, err)
		}
		env, _, _ := v.streams()
		store := env.Records().Approvals(nil)
		if err := store.Update(func([]policy.Grant) ([]policy.Grant, error) { return old, nil }); err != nil {
			t.Fatal(err)
		}
		exact, rule := old[0], old[1]

		byRule := bashJob(ws, "go test ./x")
		if !granted(ws.Approvals(), byRule) {
			t.Errorf("%s: %s no longer counts", file, rule.Rule)
		}
		if granted(ws.Approvals(), bashJob(ws, "go env -w A=b")) {
			t.Errorf("%s: it covers more than it says", file)
		}
		again := bashJob(ws, "go vet ./...")
		again.Title = exact.Title
		if got := ws.Approvals().Outdated(again); len(got) != 1 || got[0].ID != exact.ID {
			t.Errorf("%s: outdated %v, want %s", file, got, exact.ID)
		}
		if got := ws.Approvals().Outdated(byRule); len(got) != 0 {
			t.Errorf("%s: of another call %v is told", file, got)
		}
		told, _, said := v.streams()
		asking.TellOutdated(told, ws.Approvals(), again)
		if !strings.Contains(said.String(), "helve approvals revoke "+exact.ID) {
			t.Errorf("%s: at the question %q is said", file, said)
		}
		code, out, errs := v.run("approvals", "list")
		want := "written by an older version, no longer counts: " + exact.ID
		if code != 0 || !strings.Contains(errs, want) || strings.Contains(errs, rule.ID) || !strings.Contains(out, rule.ID) {
			t.Errorf("%s: %d\n%s%s", file, code, out, errs)
		}
	}
}

// Another's tool that is defined otherwise may do something else: no rule speaks for it.
func TestARuleOnAnothersToolEndsWithItsDefinition(t *testing.T) {
	for _, from := range []tool.Origin{{Kind: tool.Builtin}, {Kind: tool.Go}, {Kind: tool.MCP, Server: "s"}} {
		kind, outdated := from.Kind, from.Kind != tool.Builtin
		from.Name = "t"
		s := &tool.Spec{Name: "t", Origin: from}
		k := policy.Grant{Origin: s.Origin, Definition: "another", Rule: "t:go test *"}
		if got := k.Outdated(s); got != outdated {
			t.Errorf("%s: %v", kind, got)
		}
		for _, whole := range []string{"", policy.WholeTool} {
			k.Rule = whole
			if !k.Outdated(s) {
				t.Errorf("%s: %q outlives the definition", kind, whole)
			}
		}
		k.Definition = s.Digest()
		if k.Outdated(s) {
			t.Errorf("%s: the same definition is outdated", kind)
		}
	}
}
