package app_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"helve/codetool"
)

// What the tools may cost a model at every turn, in tokens: all that are listed by default, and the code-structure tools among them.
const (
	listBudget = 2600 // 2,500 until read, grep, glob and write got the parameters that users of other agents expect
	codeBudget = 900
)

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
