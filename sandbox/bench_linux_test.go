package sandbox

import (
	"context"
	"os/exec"
	"testing"

	"helve/internal/proc"
)

// What the sandbox adds to bash -c true, beside plain processes and beside bubblewrap run by hand, in one run.
func BenchmarkTrue(b *testing.B) {
	ctx := context.Background()
	bash := []string{"/bin/bash", "--noprofile", "--norc", "-c", "true"}
	spec := Spec{Argv: bash, Dir: "/", Env: []string{"PATH=/usr/bin:/bin"}}
	command := func(b *testing.B, argv ...string) {
		for b.Loop() {
			c := exec.Command(argv[0], argv[1:]...)
			c.Env = spec.Env
			if err := c.Run(); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("exec", func(b *testing.B) { command(b, bash...) })
	b.Run("proc", func(b *testing.B) {
		for b.Loop() {
			p, err := proc.Start(ctx, spec)
			if err != nil {
				b.Fatal(err)
			}
			p.Wait(ctx)
			p.Close()
		}
	})
	if bwrapPath() != "" {
		b.Run("bwrap by hand", func(b *testing.B) {
			command(b, append([]string{bwrapPath(), "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/run", "--die-with-parent", "--new-session"}, bash...)...)
		})
	}
	for _, m := range ladder {
		b.Run(m, func(b *testing.B) { benchStart(b, Options{Mechanism: m}, spec) })
	}
	b.Run("off", func(b *testing.B) { benchStart(b, Options{Level: Off}, spec) })
}

func benchStart(b *testing.B, o Options, spec Spec) {
	for b.Loop() {
		p, _, err := Start(b.Context(), o, spec)
		if err != nil {
			b.Skip(err)
		}
		if e, _ := p.Wait(b.Context()); e.Code != 0 {
			b.Fatal(e)
		}
		p.Close()
	}
}
