package callwords_test

import (
	"slices"
	"strings"
	"testing"

	"helve/cmd/internal/callwords"
)

func TestWordsAreTheToolsButForHelvesFlagsAtTheirEnds(t *testing.T) {
	for _, c := range []struct{ line, tool, own, told string }{
		{"read f --limit 2 --yes", "f --limit 2", "yes", ""},
		{"read --yes f --json", "f", "yes json", ""},
		{"read f -- --yes", "f --yes", "", ""},
		{"read f --session=a --mode plan", "f", "session=a mode=plan", ""},
		{"grep f --mode files", "f --mode files", "", ""},
		{"read --help", "", "help", ""},
		{"bash ls -la", "ls -la", "", ""},
		{"bash npm init --yes", "npm init", "yes", "--yes was helve's; `--` leaves it to npm"},
		{"bash npm init --session s --json=false", "npm init", "session=s", "--session s --json=false was helve's; `--` leaves it to npm"},
		{"bash --yes npm init -y", "npm init -y", "yes", ""},
		{"bash -- npm init --yes", "npm init --yes", "", ""},
		{"bash npm run x -- --yes", "npm run x -- --yes", "", ""},
		{"bash npm init --yes -y", "npm init --yes -y", "", ""},
		{"bash --yes", "", "yes", ""},
		{"bash ls --help", "ls --help", "", ""},
		{"bash --help ls", "ls", "help", ""},
		{"bash tool --mode fast", "tool --mode fast", "", ""},
		{"bash gh pr list --json=title", "gh pr list --json=title", "", ""},
		{"bash tool --whole", "tool", "whole", "--whole was helve's; `--` leaves it to tool"},
	} {
		words := strings.Fields(c.line)
		b, told, err := callwords.Read(words[0], words[1:])
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		if got := strings.Join(b.Words, " "); got != c.tool || own(b.Own) != c.own || told != c.told {
			t.Errorf("%s: %q, own %q, told %q", c.line, got, own(b.Own), told)
		}
	}
	for _, line := range []string{"read f --yes=maybe", "read --session=", "bash --yes=2 ls"} {
		words := strings.Fields(line)
		if b, _, err := callwords.Read(words[0], words[1:]); err == nil {
			t.Errorf("%s: taken as %+v", line, b)
		}
	}
}

func own(o callwords.Own) string {
	var out []string
	for name, set := range map[string]bool{"yes": o.Yes, "json": o.JSON, "whole": o.Whole, "help": o.Help,
		"session=" + o.Session: o.Session != "", "mode=" + o.Mode: o.Mode != ""} {
		if set {
			out = append(out, name)
		}
	}
	order := []string{"yes", "json", "whole", "help", "session", "mode"}
	at := func(s string) int {
		name, _, _ := strings.Cut(s, "=")
		return slices.Index(order, name)
	}
	slices.SortFunc(out, func(a, b string) int { return at(a) - at(b) })
	return strings.Join(out, " ")
}

func TestALineIsWhatAShellWouldGet(t *testing.T) {
	for _, c := range []struct {
		words []string
		line  string
	}{
		{nil, ""},
		{[]string{"ls", "-la"}, "ls -la"},
		{[]string{"ls | wc -l"}, "ls | wc -l"},
		{[]string{"-c", "ls | wc"}, "ls | wc"},
		{[]string{"-c", `echo "$1"`, "x", "a  b"}, `bash -c 'echo "$1"' x 'a  b'`},
		{[]string{"-x", "f.sh"}, "bash -x f.sh"},
	} {
		if got, err := callwords.Line(c.words); err != nil || got != c.line {
			t.Errorf("%q: %q (%v), want %q", c.words, got, err, c.line)
		}
	}
}
