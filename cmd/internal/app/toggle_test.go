package app

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"helve/cmd/internal/command"
	"helve/cmd/internal/serve"
)

func TestCliParsing(t *testing.T) {
	parse := func(t *testing.T, args ...string) (list []string, said string) {
		t.Helper()
		var errs bytes.Buffer
		c := &command.Line{Env: command.Environment{Stderr: &errs}}
		cmd, _, err := rootCommand(c).Find([]string{"serve"})
		if err != nil {
			t.Fatal(err)
		}
		if err := serve.Parse(c, cmd, args); err != nil {
			t.Fatal(err)
		}
		return c.Flags.ConfigFlags().DisabledTools, errs.String()
	}
	for _, c := range []struct {
		name          string
		args          []string
		want, unknown []string
	}{
		{"--disabled-tools", []string{"--disabled-tools", "a,b"}, []string{"a", "b"}, nil},
		{"whitespace stripped", []string{"--disabled-tools= a , b "}, []string{"a", "b"}, nil},
		{"no flag", nil, nil, nil},
		{"unknown args do not end the program", []string{"--host-flag", "value", "-x", "--y=1"}, nil, []string{"--host-flag", "value", "-x", "--y=1"}},
		{"unknown args beside --disabled-tools", []string{"--foo", "bar", "--disabled-tools", "a", "--quiet", "--baz"}, []string{"a"}, []string{"--foo", "bar", "--baz"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, said := parse(t, c.args...)
			if !slices.Equal(got, c.want) || (got == nil) != (c.want == nil) || (said == "") != (c.unknown == nil) {
				t.Errorf("%q: %q, said %q; want %q", c.args, got, said, c.want)
			}
			for _, u := range c.unknown {
				if !strings.Contains(said, u) {
					t.Errorf("%q: nothing is said of %q in %q", c.args, u, said)
				}
			}
		})
	}
}
