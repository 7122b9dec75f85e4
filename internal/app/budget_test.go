package app_test

import (
	"encoding/json"
	"path/filepath"
	"testing"
)

// listBudget is what all built-in tools may cost a model at every turn, in tokens.
const listBudget = 2500

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
	if got.Total > listBudget {
		t.Errorf("%d tokens, at most %d are allowed: %v", got.Total, listBudget, got.Tools)
	}
	t.Logf("%d tokens for %d tools", got.Total, len(got.Tools))
}
