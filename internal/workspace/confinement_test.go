package workspace

import (
	"path/filepath"
	"slices"
	"testing"

	"helve/engine/sandbox"
)

func (s *stand) confinement() confinement {
	c := s.configuration()
	return confinement{c.opened.Sandbox, c.places, s.o.Foreign, s.say()}
}

// A command is confined as the configuration says: its folders are the workspace's, paths of the home are whole, and what
// is helve's own is opened by none of its keys.
func TestConfinementIsWhatTheConfigurationSays(t *testing.T) {
	s := stands(t)
	s.user(`{"sandbox":{"level":"read-only","network":true,"writable":["~/cache-of-mine","~/state/x"],"masked":["~/keys"]}}`)
	o := s.confinement().options()
	if o.Level != sandbox.ReadOnly || !o.Network || o.Sockets || o.Home != s.home || !slices.Equal(o.Roots, []string{s.dir}) {
		t.Errorf("%+v", o)
	}
	if want := []string{filepath.Join(s.home, "cache-of-mine")}; !slices.Equal(o.Writable, want) || !s.told("is left out") {
		t.Errorf("opens %q, want %q", o.Writable, want)
	}
	if !slices.Equal(o.Masked, []string{filepath.Join(s.home, "keys")}) {
		t.Errorf("masks %q", o.Masked)
	}
}

// Where tools change nothing commands do not either, and see nothing of what decides about rights.
func TestConfinementOfAWorkspaceThatIsOnlyRead(t *testing.T) {
	s := stands(t)
	s.o.Dirs = []string{s.home}
	s.user(`{"sandbox":{"level":"workspace-write"}}`)
	o := s.confinement().options()
	if o.Level != sandbox.ReadOnly || !slices.Contains(o.Masked, s.o.State) {
		t.Errorf("level %v, masks %q", o.Level, o.Masked)
	}
}

// Who only judges lines asks of no machine what it can do; everybody else tries.
func TestOnlyWhoRunsCommandsTriesTheSandbox(t *testing.T) {
	s := stands(t)
	if s.confinement().reach() != nil {
		t.Error("a level is assumed where commands run")
	}
	s.o.Foreign = true
	reach := s.confinement().reach()
	if reach == nil {
		t.Fatal("who only judges tries the sandbox")
	}
	for level, want := range map[sandbox.Level]bool{sandbox.Off: false, sandbox.ReadOnly: true} {
		if got, err := reach(t.Context(), sandbox.Options{Level: level}); err != nil || got.Confined != want || got.Level != level {
			t.Errorf("%v: %+v, %v", level, got, err)
		}
	}
}

// A sandbox that is switched off is no mistake of the machine's.
func TestASandboxThatIsOffIsToldApart(t *testing.T) {
	s := stands(t)
	s.user(`{"sandbox":{"level":"off"}}`)
	err := s.confinement().confines(t.Context())
	if err == nil || err.Error() != "the configuration switches the sandbox off" {
		t.Error(err)
	}
}
