package workspace

import (
	"strings"
	"testing"

	"helve/internal/config"
)

// again reads the configuration as a reload does.
func again(t *testing.T, c *configuration) *config.Config {
	t.Helper()
	read, err := c.load(c.trustedAgain)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// What a workspace was opened with stays known when its files say something else, so that it can be told what of that
// counts from the next opening on only.
func TestAConfigurationKnowsWhatItWasOpenedWith(t *testing.T) {
	s := stands(t)
	s.user(`{"mode":"plan","drop_unused":"1h"}`)
	c := s.configuration()
	if c.opened.mode.String() != "plan" || c.now.Load() != c.opened || c.opened.Profile != "default" {
		t.Fatalf("opened with mode %v, profile %s", c.opened.mode, c.opened.Profile)
	}
	s.user(`{"mode":"auto","drop_unused":"2h"}`)
	read := again(t, c)
	if read.Mode != "auto" || c.opened.mode.String() != "plan" {
		t.Errorf("read mode %s, opened with %v", read.Mode, c.opened.mode)
	}
	if later := c.fromNextOpening(read, "small"); later != "profile, drop_unused" {
		t.Errorf("from the next opening on: %q", later)
	}
	if later := c.fromNextOpening(read, c.opened.Profile); later != "drop_unused" {
		t.Errorf("from the next opening on: %q", later)
	}
}

// A flag stands above the files, and a mode or a profile that there is not is an error.
func TestAConfigurationThatMeansNothingIsAnError(t *testing.T) {
	s := stands(t)
	s.user(`{"mode":"plan"}`)
	s.o.Mode = "auto"
	if c := s.configuration(); c.opened.mode.String() != "auto" {
		t.Errorf("mode %v with a flag", c.opened.mode)
	}
	s.o.Profile = "smal"
	if _, err := configure(&s.o, s.places(), s.say()); err == nil || !strings.Contains(err.Error(), "did you mean small?") {
		t.Errorf("a profile that there is not: %v", err)
	}
}

// Trust for one run is for what stood in the workspace when the run began.
func TestTrustForOneRunIsForWhatStoodThere(t *testing.T) {
	s := stands(t)
	s.o.Trust = true
	c := s.configuration()
	if c.opened.Digest == "" && !c.trustedAgain(s.dir, c.opened.Digest) {
		t.Error("what stood there is not trusted")
	}
	if c.trustedAgain(s.dir, "another") {
		t.Error("what came later is trusted")
	}
	s.o.Trust = false
	if c := s.configuration(); c.trustedAgain(s.dir, c.opened.Digest) {
		t.Error("nobody trusts it")
	}
}

// What an administrator pushes is asked for at each reading, and an error of it ends the reading.
func TestPushedLayersAreReadEachTime(t *testing.T) {
	s := stands(t)
	pushed := `{}`
	s.o.Layers.Pushed = func() ([]byte, error) { return []byte(pushed), nil }
	c := s.configuration()
	pushed = `{"disabled_tools":["bash"]}`
	off := 0
	for _, l := range again(t, c).Layers {
		off += len(l.Disabled())
	}
	if off != 1 {
		t.Errorf("%d tools are off, want 1", off)
	}
	pushed = `{"disabled_tools":`
	if read, err := c.load(c.trustedAgain); err == nil {
		t.Errorf("read %+v", read.Layers)
	}
}
