package server

import (
	"testing"

	"helve/internal/tokens"
)

func TestTheMetaToolsCostFewTokens(t *testing.T) {
	n := 0
	for _, m := range metaTools() {
		n += tokens.Count(string(m.definition()))
	}
	if n > 600 {
		t.Errorf("%d tokens, at most 600 are allowed", n)
	}
	t.Logf("%d tokens", n)
}
