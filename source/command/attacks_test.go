//go:build unix

package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/internal/testing/corpus"
	"helve/tool"
)

// Every attack of the corpus's group has a test under its id.
func TestAttacksOfDiscoveriesAreHeldOff(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range corpus.Attacks("discovery") {
		seen[c.ID] = true
		t.Run(c.ID, func(t *testing.T) {
			check := attacks[c.ID]
			if check == nil {
				t.Fatalf("no test: %s", c.Why)
			}
			check(t)
		})
	}
	for id := range attacks {
		if !seen[id] {
			t.Errorf("%s is not in the corpus", id)
		}
	}
}

func refused(words, want string) func(*testing.T) {
	return func(t *testing.T) {
		if _, err := New(Config{Discover: self(words)}, Options{}).Tools(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

var attacks = map[string]func(*testing.T){
	"discovery-001": refused("eleven", "more than 10485760 bytes on stdout"),
	"discovery-002": refused("endless", "more than 10485760 bytes on stdout"),
	"discovery-004": refused("fail", "exit status 4"),
	"discovery-005": TestTroubleOfTheDiscoveryIsSaid,
	"discovery-009": TestEveryFormOfDeclarationIsRead,
	"discovery-010": func(t *testing.T) { // a name is an argument, whole, or nothing at all
		c := printing(t, `[{"name":"x; touch pwned"},{"name":"-rf"},{"name":"a\u0000b"},{"name":"a\u200bb"}]`)
		c.Dir = t.TempDir()
		k := kit(t, New(c, Options{}))
		if k.View().Len() != 1 {
			t.Fatalf("%d tools", k.View().Len())
		}
		name := k.View().Name(k.View().Specs()[0])
		res, err := k.Call(t.Context(), &tool.Call{Name: name})
		if err != nil || res.Text() != "said x; touch pwned" || strings.ContainsAny(name, "; ") {
			t.Errorf("%q: %q, %v", name, res.Text(), err)
		}
		if _, err := os.Stat(filepath.Join(c.Dir, "pwned")); err == nil {
			t.Error("a shell was at work")
		}
	},
	"discovery-011": TestCommandsAreSplitAndNeverGivenToAShell,
	"discovery-012": func(t *testing.T) { // no shell: what is a sign for one is refused, and quoted it is an argument
		r := &recorder{}
		_, err := New(Config{Discover: "echo []; touch pwned", Dir: t.TempDir()}, Options{Runner: r}).Tools(t.Context())
		if err == nil || !strings.Contains(err.Error(), "no shell runs it") || len(r.seen) > 0 {
			t.Errorf("%v, ran %v", err, r.seen)
		}
		_, err = New(Config{Discover: "echo '[];' touch", Dir: t.TempDir()}, Options{Runner: r}).Tools(t.Context())
		if err != nil || strings.Join(r.seen[0].Argv, "|") != "echo|[];|touch" {
			t.Errorf("%v, %v", err, r.seen)
		}
	},
	"discovery-013": func(t *testing.T) { // a program of the workspace is not found through a relative PATH
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "list-tools"), []byte("#!/bin/sh\ntouch pwned\necho '[]'\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Chdir(dir)
		for _, path := range []string{".:/bin:/usr/bin", ":/bin", "bin:/bin"} {
			if _, err := New(Config{Discover: "list-tools", Dir: dir}, Options{Environ: []string{"PATH=" + path}}).Tools(t.Context()); err == nil || !strings.Contains(err.Error(), "not found") {
				t.Errorf("PATH=%s: %v", path, err)
			}
		}
		if _, err := os.Stat("pwned"); err == nil {
			t.Error("it ran")
		}
	},
	"discovery-014": refused("complain", "more than 1048576 bytes on stderr"),
	"discovery-016": TestCallsReportAsTheSeedSays,
	"discovery-019": func(t *testing.T) { // an untrusted workspace has no command: its configuration never gets here, and then nothing runs
		r := &recorder{}
		if tools, err := New(Config{}, Options{Runner: r}).Tools(t.Context()); err != nil || len(tools) > 0 || len(r.seen) > 0 {
			t.Errorf("%v, %v, ran %v", tools, err, r.seen)
		}
	},
}
