package upstream

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helve/tool"
)

// awayConfig is a server that jots down each start.
func awayConfig(t *testing.T, mode string, limit time.Duration) (Config, func() int) {
	file := filepath.Join(t.TempDir(), "starts")
	c := stdioConfig(mode)
	c.StartTimeout = limit
	c.Env["STARTS"] = file
	return c, func() int {
		b, _ := os.ReadFile(file)
		return strings.Count(string(b), "\n")
	}
}

// However a server is away, whoever lists it next knows why without starting it, in another process, too; whoever asks
// for it starts it.
func TestHoweverAServerIsAwayTheNextListKnows(t *testing.T) {
	for mode, why := range map[string]string{
		"dead":      "cannot find module",
		"mute":      "did not answer within 300ms",
		"deaf":      "did not answer within 300ms",
		"nolist":    "database is down",
		"senseless": "no array",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			limit := ample
			if mode == "mute" || mode == "deaf" {
				limit = 300 * time.Millisecond
			}
			c, starts := awayConfig(t, mode, limit)
			cache := t.TempDir()
			first := newSource(t, c, Options{CacheDir: cache})
			if _, err := first.Tools(t.Context()); err == nil || errors.Is(err, ErrAway) || !strings.Contains(err.Error(), why) {
				t.Fatalf("the first list: %v, want %q", err, why)
			}
			first.Close()
			before := starts()
			second := newSource(t, c, Options{CacheDir: cache})
			if _, err := second.Tools(t.Context()); !errors.Is(err, ErrAway) || !strings.Contains(err.Error(), why) {
				t.Errorf("the next list: %v, want %q", err, why)
			}
			if n := starts(); n != before || before == 0 {
				t.Errorf("it was started %d times, then %d", before, n)
			}
			if _, err := second.Tools(t.Context()); err == nil || errors.Is(err, ErrAway) {
				t.Errorf("asked for: %v", err)
			}
			if n := starts(); n <= before {
				t.Error("asked for, it was not started")
			}
		})
	}
}

// A client that lists and leaves before a mute server's time is over has it remembered all the same.
func TestAServerIsRememberedByThoseWhoLeave(t *testing.T) {
	c, _ := awayConfig(t, "mute", ample)
	cache := t.TempDir()
	s := newSource(t, c, Options{CacheDir: cache})
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		for s.book().Known() == nil && t.Context().Err() == nil {
			time.Sleep(10 * time.Millisecond)
		}
		leave()
	}()
	if _, err := s.Tools(ctx); err == nil {
		t.Fatal("it listed")
	}
	s.Close()
	if _, err := newSource(t, c, Options{CacheDir: cache}).Tools(t.Context()); !errors.Is(err, ErrAway) {
		t.Errorf("the next list: %v", err)
	}
}

// A server that came is not away any more, and neither is one that only wants to be followed: who follows an absent one
// hears when it comes.
func TestWhoFollowsAnAbsentServerHearsWhenItComes(t *testing.T) {
	there := filepath.Join(t.TempDir(), "there")
	c, _ := awayConfig(t, "late:"+there, ample)
	cache := t.TempDir()
	s := newSource(t, c, Options{CacheDir: cache})
	s.book().Try().Failed("it is away")
	r := &tool.Registry{}
	defer r.Close()
	over, end := context.WithCancel(t.Context())
	end()
	if err := r.Attach(over, s); !errors.Is(err, ErrAway) {
		t.Fatalf("attached: %v", err)
	}
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	soon(t, "it comes", func() bool { return r.View().Len() == 1 })
	soon(t, "it is not away", func() bool { return s.book().Known() == nil })
}

// A server that is slow to start, as one that is downloaded first, goes on starting when those who waited have left.
func TestASlowServerGoesOnStarting(t *testing.T) {
	there := filepath.Join(t.TempDir(), "there")
	c, starts := awayConfig(t, "late:"+there, 300*time.Millisecond)
	s := newSource(t, c, Options{CacheDir: t.TempDir(), Patient: ample})
	r := &tool.Registry{}
	defer r.Close()
	if err := r.Attach(t.Context(), s); err == nil || !strings.Contains(err.Error(), "goes on starting") {
		t.Fatalf("attached: %v", err)
	}
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	soon(t, "it comes", func() bool { return r.View().Len() == 1 })
	if n := starts(); n != 1 {
		t.Errorf("it was started %d times", n)
	}
}

// A call that comes while its server rests after its end waits for the restart.
func TestACallWaitsForItsServersRestart(t *testing.T) {
	s := newSource(t, stdioConfig("crash"), Options{})
	s.calls.dialer.pause = func(int) time.Duration { return 200 * time.Millisecond }
	k := attached(t, s)
	for i := range 4 {
		text := say1(t, k, "x").Text()
		if strings.Contains(text, "is down") || !strings.Contains(text, "out of cheese") {
			t.Errorf("call %d was refused while the server restarted: %s", i, text)
		}
	}
}
