package app_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"helve/codetool"
	"helve/engine/dialect"
	"helve/script"
)

// What the tools may cost a model at every turn, in tokens: all that are listed by default, and the code-structure tools among them.
const (
	listBudget = 2600 // 2,500 until read, grep, glob and write got the parameters that users of other agents expect
	codeBudget = 625  // what the seven cost that were listed before these eight

	smallBudget = 2000 // of profile small, with the todo tools
)

// Profile small costs less, whatever form the tools are declared in.
func TestProfileSmallCostsFewTokens(t *testing.T) {
	total := func(args ...string) int {
		t.Helper()
		out, code := run(t, fixture(t), append([]string{"tokens", "--json"}, args...)...)
		var got struct{ Total int }
		if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 {
			t.Fatalf("%q: %s, %d, %v", args, out, code, err)
		}
		return got.Total
	}
	n := total("--profile", "small")
	if n > smallBudget {
		t.Errorf("%d tokens of %d", n, smallBudget)
	}
	for _, d := range dialect.Dialects() {
		plain, small := total("--for", d.String()), total("--for", d.String(), "--profile", "small")
		if plain-small < 600 {
			t.Errorf("%s: %d tokens, %d in profile small", d, plain, small)
		}
		t.Logf("%s: %d tokens, %d in profile small", d, plain, small)
	}
}

func TestTheBuiltInToolsCostFewTokens(t *testing.T) {
	out, code := run(t, fixture(t), "tokens", "--json")
	var got struct {
		Total int
		Tools []struct {
			Name   string
			Tokens int
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 || len(got.Tools) < 5 {
		t.Fatalf("%s, %d, %v", filepath.Base(out), code, err)
	}
	structure := 0
	for _, tl := range got.Tools {
		if codetool.Core(tl.Name) {
			structure += tl.Tokens
		}
	}
	if got.Total > listBudget || structure > codeBudget {
		t.Errorf("%d tokens of %d, code structure %d of %d: %v", got.Total, listBudget, structure, codeBudget, got.Tools)
	}
	t.Logf("%d tokens for %d tools", got.Total, len(got.Tools))
}

// scriptBudget is what run_script may cost at every turn, in tokens, where it is offered.
const scriptBudget = 350

// Scripts cost nothing where they are off, and one definition where they are on: no other tool says more because of them.
func TestScriptsCostNothingWhereTheyAreOff(t *testing.T) {
	counted := func(config string) map[string]int {
		dir := fixture(t)
		if err := os.WriteFile(filepath.Join(dir, "script.json"), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		out, code := run(t, dir, "tokens", "--json", "--config", "script.json")
		var got struct {
			Tools []struct {
				Name   string
				Tokens int
			}
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 {
			t.Fatalf("%s, %d, %v", out, code, err)
		}
		costs := map[string]int{}
		for _, tl := range got.Tools {
			costs[tl.Name] = tl.Tokens
		}
		return costs
	}
	off, on := counted(`{}`), counted(`{"script":true}`)
	if _, there := off[script.Name]; there {
		t.Error("run_script is listed where it is off")
	}
	if err := script.Confined(t.Context()); err != nil {
		t.Skip(err)
	}
	own := on[script.Name]
	if own == 0 || own > scriptBudget {
		t.Errorf("run_script costs %d tokens, want at most %d", own, scriptBudget)
	}
	delete(on, script.Name)
	if !maps.Equal(on, off) {
		t.Errorf("with scripts the other tools cost %v, without %v", on, off)
	}
	t.Logf("%d tokens", own)
}
