package upstream

import (
	"strings"
	"testing"
	"time"
)

// What people look at: a process with its number and its words, a count of starts, and after a restart another process.
func TestTheStateOfAServerIsToldAndARestartMakesAnother(t *testing.T) {
	s := newSource(t, stdioConfig("good"), Options{StateDir: t.TempDir()})
	if st := s.State(); st.Up || st.Starts != 0 || st.Transport != "stdio" || !st.Since.IsZero() {
		t.Errorf("before anything was started: %+v", st)
	}
	k := attached(t, s)
	first := s.State()
	if !first.Up || len(first.PIDs) != 1 || first.Starts != 1 || first.ListTook <= 0 || first.Protocol == "" || first.Last != nil {
		t.Errorf("%+v", first)
	}
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := s.State()
	if second.Starts != 2 || len(second.PIDs) != 1 || second.PIDs[0] == first.PIDs[0] || second.Since.Before(first.Since) {
		t.Errorf("first %+v, then %+v", first, second)
	}
	if n := s.calls.dialer.ups.Load(); n != 1 {
		t.Errorf("%d connections are counted", n)
	}
	if res := say1(t, k, "hello"); res.Err != nil || !strings.Contains(res.Text(), "hello") {
		t.Errorf("%q %v", res.Text(), res.Err)
	}
	s.Close()
	if n := s.calls.dialer.ups.Load(); n != 0 {
		t.Errorf("%d connections are counted after Close", n)
	}
	if err := s.Restart(t.Context()); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("after Close: %v", err)
	}
}

// A server that cannot be started says why, with its last words; a restart comes at once, though it rests otherwise.
func TestARestartDoesNotWaitForTheRestAfterAFailure(t *testing.T) {
	c := stdioConfig("")
	c.Env, c.Args = nil, []string{"-test.run=^$", "-no-such-flag"}
	s := newSource(t, c, Options{})
	s.calls.dialer.pause = func(int) time.Duration { return time.Hour }
	for range 2 {
		err := s.Restart(t.Context())
		if err == nil || strings.Contains(err.Error(), "started again in") {
			t.Errorf("%v", err)
		}
	}
	if _, err := s.Tools(t.Context()); err == nil || !strings.Contains(err.Error(), "started again in") {
		t.Errorf("without a restart it rests: %v", err)
	}
	st := s.State()
	if st.Up || st.Last == nil || len(st.PIDs) != 0 || !strings.Contains(s.Log(), "no-such-flag") {
		t.Errorf("%+v, log %q", st, s.Log())
	}
}

// A server that is started anew and says nothing is waited for as long as its configuration says, which the error names.
func TestARestartOfASilentServerSaysHowLongItWaited(t *testing.T) {
	c := stdioConfig("mute")
	c.StartTimeout = time.Second / 5
	err := newSource(t, c, Options{}).Restart(t.Context())
	if err == nil || !strings.Contains(err.Error(), c.Name) || !strings.Contains(err.Error(), "did not answer within 200ms") {
		t.Errorf("%v", err)
	}
}
