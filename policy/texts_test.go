package policy_test

import (
	"testing"

	"helve/policy"
	"helve/tool"
)

// A text that tells models what to do is asked about where a tool for files writes it, in ask and auto alike; what a
// command makes of it is looked at when it ran.
func TestTextsForModelsAreAskedAbout(t *testing.T) {
	for _, path := range []string{"AGENTS.md", "a/CLAUDE.md", "skills/x/SKILL.md", "gemini.md", ".github/prompts/x.md", "pnpm-workspace.yaml"} {
		for mode, want := range map[policy.Mode]tool.Decision{
			policy.Plan: tool.Deny, policy.AskFirst: tool.Ask, policy.Review: tool.Ask, policy.Auto: tool.Ask,
		} {
			if v := mode.Judge(job(write, "write|"+path)); v.Decision != want {
				t.Errorf("mode %s: write %s: %v (%s), want %v", mode, path, v.Decision, v.Reason, want)
			}
		}
	}
	line := job(bash, "exec|echo x >AGENTS.md", "write|AGENTS.md")
	line.Line = &tool.CommandLine{Text: "echo x >AGENTS.md", Decision: tool.Ask, Held: true,
		Commands: []tool.SimpleCommand{{Words: []string{"echo", "x"}, Program: "echo", Static: true}}}
	for mode, want := range map[policy.Mode]tool.Decision{
		policy.Plan: tool.Deny, policy.AskFirst: tool.Ask, policy.Review: tool.Allow, policy.Auto: tool.Allow,
	} {
		if v := mode.Judge(line); v.Decision != want || v.Review != (mode == policy.Review) {
			t.Errorf("mode %s: a command that writes AGENTS.md: %+v, want %v", mode, v, want)
		}
	}
}
