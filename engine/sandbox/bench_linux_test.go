package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"helve/engine/sandbox/internal/proc"
	"helve/internal/change"
)

// What the sandbox adds to bash -c true, compared with plain processes and with bubblewrap run by hand, in one run.
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

// The figures of one run, as medians of interleaved turns: on a busy machine means say more about the neighbours.
func BenchmarkAdded(b *testing.B) {
	ctx := b.Context()
	bash := []string{"/bin/bash", "--noprofile", "--norc", "-c", "true"}
	spec := Spec{Argv: bash, Dir: "/", Env: []string{"PATH=/usr/bin:/bin"}}
	by := func(argv ...string) func() error {
		return func() error {
			c := exec.Command(argv[0], argv[1:]...)
			c.Env = spec.Env
			return c.Run()
		}
	}
	start := func(o Options) func() error {
		return func() error {
			p, _, err := Start(ctx, o, spec)
			if err != nil {
				return err
			}
			defer p.Close()
			_, err = p.Wait(ctx)
			return err
		}
	}
	ways := []struct {
		name string
		run  func() error
	}{
		{"exec-ms", by(bash...)},
		{"bwrap-ms", by(append([]string{"bwrap", "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/run", "--die-with-parent", "--new-session"}, bash...)...)},
		{"namespaces-ms", start(Options{Mechanism: Namespaces})},
		{"landlock-ms", start(Options{Mechanism: Landlock})},
		{"off-ms", start(Options{Level: Off})},
	}
	times := make([][]time.Duration, len(ways))
	for b.Loop() {
		for i, w := range ways {
			before := time.Now()
			if err := w.run(); err != nil {
				continue // not on this machine
			}
			times[i] = append(times[i], time.Since(before))
		}
	}
	for i, w := range ways {
		if n := len(times[i]); n > 0 {
			slices.Sort(times[i])
			b.ReportMetric(float64(times[i][n/2].Microseconds())/1000, w.name)
			b.ReportMetric(float64(times[i][n/10].Microseconds())/1000, w.name+"-best") // one in ten: the least disturbed
		}
	}
}

// What holding back adds to a command that changes nothing: medians of interleaved turns in one run. The tree is of the
// size of a large project, because nothing may depend on it.
func BenchmarkHeld(b *testing.B) {
	base, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	root := filepath.Join(base, "work")
	for d := range 200 {
		dir := filepath.Join(root, fmt.Sprint("d", d))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		for f := range 50 {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("f", f)), nil, 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	spec := Spec{Argv: []string{"/bin/bash", "--noprofile", "--norc", "-c", "true"}, Dir: root, Env: []string{"PATH=/usr/bin:/bin"}}
	o := Options{Level: WorkspaceWrite, Roots: []string{root}, Home: base, Mechanism: Namespaces}
	run := func(o Options) error {
		p, _, err := Start(b.Context(), o, spec)
		if err != nil {
			return err
		}
		defer p.Close()
		_, err = p.Wait(b.Context())
		return err
	}
	held := func() error {
		tx, err := change.Begin(change.Options{Roots: o.Roots, State: filepath.Join(base, "state")})
		if err != nil {
			return err
		}
		defer tx.Close()
		o := o
		o.Layer = NewLayer(tx)
		if err := run(o); err != nil {
			return err
		}
		if !o.Layer.Held() {
			b.Skip("an overlay does not work here: ", o.Layer.Why())
		}
		set, err := o.Layer.Set(b.Context())
		if err == nil && len(set.Changes) > 0 {
			b.Fatal(set.Changes)
		}
		return err
	}
	ways := map[string]func() error{"through-ms": func() error { return run(o) }, "held-ms": held}
	times := map[string][]time.Duration{}
	for b.Loop() {
		for name, w := range ways {
			before := time.Now()
			if err := w(); err != nil {
				b.Fatal(err)
			}
			times[name] = append(times[name], time.Since(before))
		}
	}
	for name, list := range times {
		slices.Sort(list)
		b.ReportMetric(float64(list[len(list)/2].Microseconds())/1000, name)
		b.ReportMetric(float64(list[len(list)/10].Microseconds())/1000, name+"-best")
	}
}
