package sandbox

import (
	"slices"
	"testing"
)

func TestNoAddressInTheEnvironmentHasAUser(t *testing.T) {
	env := Env([]string{
		"GOPROXY=https://u:pass@one.example/a,http://tok@two.example|file:///x@y,direct",
		"HOME=/home/a@b",
		"XDG_DATA_HOME=/a://b/c@d",
	})
	for _, want := range []string{
		"GOPROXY=https://one.example/a,http://two.example|file:///x@y,direct",
		"HOME=/home/a@b",
		"XDG_DATA_HOME=/a://b/c@d",
	} {
		if !slices.Contains(env, want) {
			t.Errorf("no %q in %q", want, env)
		}
	}
}
