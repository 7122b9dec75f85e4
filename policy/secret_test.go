package policy_test

import (
	"testing"

	"helve/policy"
	"helve/tool"
)

// Who configures what holds secrets has it asked about, and a rule that names a file answers for good.
func TestWhatHoldsSecretsCanBeConfiguredAndAllowed(t *testing.T) {
	o := policy.Options{Mode: policy.Auto, Secret: func(target string) bool { return target == "ops/vault" }}
	for _, c := range []struct {
		rule string
		j    *tool.Job
		want tool.Decision
	}{
		{"allow fetch:go.dev", job(read, "ops/vault"), tool.Ask},
		{"allow fetch:go.dev", job(write, "ops/vault"), tool.Ask},
		{"allow fetch:go.dev", job(read, ".env"), tool.Allow},
		{"allow read:ops/vault", job(read, "ops/vault"), tool.Allow},
		{"deny read:ops/**", job(read, "ops/vault"), tool.Deny},
	} {
		wantJudged(t, rules(t, o, layer("user", c.rule)), c.j, c.want)
	}
}

// In mode auto a line may do what the sandbox holds. That it shows the model a secret, no sandbox holds.
func TestAutoAsksAboutALineThatNamesAFileWithSecrets(t *testing.T) {
	line := func(mentions ...string) *tool.Job {
		j := job(bash, "load it")
		j.Line = &tool.CommandLine{
			Text:     "load it",
			Decision: tool.Ask,
			Whole:    true,
			Commands: []tool.SimpleCommand{{Words: []string{"load", "it"}, Program: "load", Static: true}},
			Mentions: mentions,
		}
		return j
	}
	r := rules(t, policy.Options{Mode: policy.Auto})
	wantJudged(t, r, line("conf/app.yml"), tool.Allow)
	wantJudged(t, r, line("conf/app.yml", "conf/.env"), tool.Ask)
	wantJudged(t, rules(t, policy.Options{Mode: policy.Auto}, layer("user", "allow bash:load *")), line(".env"), tool.Allow)
}
