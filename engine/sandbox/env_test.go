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

// What the person set counts, in every form that a program takes, and reaches the program.
func TestProgramsDoNotTryAgainWithoutNetwork(t *testing.T) {
	for _, c := range []struct{ given, want []string }{
		{nil, []string{"npm_config_fetch_retries=0", "PIP_RETRIES=0", "CARGO_NET_RETRY=0"}},
		{[]string{"NPM_CONFIG_FETCH_RETRIES=3"}, []string{"NPM_CONFIG_FETCH_RETRIES=3", "PIP_RETRIES=0", "CARGO_NET_RETRY=0"}},
		{[]string{"npm_config_fetch-retries=3"}, []string{"npm_config_fetch-retries=3", "PIP_RETRIES=0", "CARGO_NET_RETRY=0"}},
		{[]string{"Npm_Config_Fetch_Retries=3", "PIP_RETRIES=2"}, []string{"Npm_Config_Fetch_Retries=3", "PIP_RETRIES=2", "CARGO_NET_RETRY=0"}},
		{[]string{"pip_retries=2", "CARGO_NET_RETRY=1"}, []string{"CARGO_NET_RETRY=1", "npm_config_fetch_retries=0", "PIP_RETRIES=0"}},
		{[]string{"npm_config_fetch_retries_x=2", "NPM_TOKEN=x"}, []string{"npm_config_fetch_retries=0", "PIP_RETRIES=0", "CARGO_NET_RETRY=0"}},
	} {
		var got []string
		for _, e := range withoutRetries(Env(c.given)) {
			if !slices.Contains(Env(nil), e) {
				got = append(got, e)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.given, got, c.want)
		}
	}
}
