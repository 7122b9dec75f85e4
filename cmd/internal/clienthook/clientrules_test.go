package clienthook

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helve/internal/workspace"
	"helve/tool"
)

// line is a call of one line, as the analysis has it.
func line(text string, commands ...string) *judged {
	j := &judged{lines: []string{text}}
	j.verdict = workspace.ForeignVerdict{Whole: true}
	for _, c := range commands {
		j.verdict.Commands = append(j.verdict.Commands, tool.SimpleCommand{Words: strings.Fields(c), Static: true})
	}
	return j
}

func TestAClientsRulesCountOnTheLineOfTheModel(t *testing.T) {
	var c clientRules
	c.add(&c.deny, []string{"Bash(git push:*)", "Read(./secrets/**)"}, "Bash")
	c.add(&c.ask, []string{"Bash(npm publish *)"}, "Bash")
	c.add(&c.allow, []string{"Bash(go test:*)", "Bash(make)", "Bash(helve exec:*)"}, "Bash")
	if !c.through {
		t.Error("a rule that allows helve exec is taken for one about a command")
	}
	for _, k := range []struct {
		j    *judged
		want said
	}{
		{line("git push origin", "git push origin"), denies},
		{line("cd x && git -C y push", "cd x", "git -C y push"), denies}, // it may fit
		{line("git status", "git status"), nothing},
		{line("npm publish --tag x", "npm publish --tag x"), asks},
		{line("go test ./...", "go test ./..."), allows},
		{line("go test ./... && make", "go test ./...", "make"), allows},
		{line("go test ./... && make install", "go test ./...", "make install"), nothing},
		{line("go test ./... && touch x", "go test ./...", "touch x"), nothing},
		{line("go vet", "go vet"), nothing},
		{line("nothing that is known"), nothing},
	} {
		if got := c.say(k.j); got != k.want {
			t.Errorf("%q: %v, want %v", k.j.lines[0], got, k.want)
		}
	}
	wrapped := line("sudo go test", "go test")
	wrapped.verdict.Commands[0].Wrapped = true
	writes := line("go test > out", "go test")
	writes.verdict.Effects = []tool.Effect{{Kind: tool.Write, Target: "out"}}
	for _, j := range []*judged{wrapped, writes} {
		if got := c.say(j); got != nothing {
			t.Errorf("%q: %v, want nothing", j.lines[0], got)
		}
	}
}

func TestSettingsThatCannotBeReadMaySayAnything(t *testing.T) {
	file := filepath.Join(t.TempDir(), "settings.json")
	for text, unread := range map[string]bool{
		"":                     false,
		"{} // of mine":        false,
		"\xef\xbb\xbf{}":       false,
		"{":                    true,
		"\xff\xfe{\x00}\x00":   true,
		`{"permissions": "x"}`: true,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var c clientRules
		var to struct {
			Permissions struct{ Deny []string } `json:"permissions"`
		}
		c.readSettings(file, &to)
		if c.unread != unread {
			t.Errorf("%q: unread %v, want %v", text, c.unread, unread)
		}
		if got := c.say(line("ls", "ls")); (got == denies) != unread {
			t.Errorf("%q says %v", text, got)
		}
	}
}

func TestFlagsOfTheClientAreRules(t *testing.T) {
	args := []string{"claude", "-p", "go", "--disallowedTools", "Bash(git push *),Edit", "Bash(rm:*)", "--model", "x", "--allowed-tools=Bash(ls)"}
	got := flagValues(args, "--disallowedTools", "--disallowed-tools")
	if want := []string{"Bash(git push *)", "Edit", "Bash(rm:*)"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := flagValues(args, "--allowedTools", "--allowed-tools"); !slices.Equal(got, []string{"Bash(ls)"}) {
		t.Errorf("%q", got)
	}
}
