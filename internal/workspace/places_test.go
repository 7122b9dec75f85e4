package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The folders of a workspace are known by their real names, and of a variable that is set twice the last counts.
func TestPlacesAreKnownByTheirRealNames(t *testing.T) {
	s := stands(t)
	further, link := filepath.Join(s.home, "further"), filepath.Join(s.home, "link")
	if err := os.Mkdir(further, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(s.dir, link); err != nil {
		t.Skipf("no links here: %v", err)
	}
	s.o.Dirs = []string{link, further}
	s.o.Environ = append(s.o.Environ, "COLOUR=red", "COLOUR=blue")
	p := s.places()
	if !slices.Equal(p.dirs, []string{s.dir, further}) || p.dir() != s.dir || p.fixed != "" {
		t.Errorf("dirs %q, first %q, fixed %q", p.dirs, p.dir(), p.fixed)
	}
	if got := p.getenv("COLOUR"); got != "blue" || p.getenv("NONE") != "" {
		t.Errorf("COLOUR is %q", got)
	}
	if p.StateDir != s.o.State || p.CacheDir != s.o.Cache || p.Managed != s.o.Layers.Managed {
		t.Errorf("state %q, cache %q, managed %q", p.StateDir, p.CacheDir, p.Managed)
	}
}

// A workspace that holds helve's own files can only be read, and is no further folder, unless whoever starts it says so.
func TestAFolderThatIsTooWideIsOnlyRead(t *testing.T) {
	s := stands(t)
	for _, wide := range []string{filepath.VolumeName(s.home) + string(filepath.Separator), s.home} {
		s.o.Dirs = []string{wide}
		if p := s.places(); !strings.Contains(p.fixed, "tools change nothing") || !s.told("tools change nothing") {
			t.Errorf("%s fixed: %q", wide, p.fixed)
		}
	}
	s.o.Dirs = []string{s.dir, s.home}
	if _, err := locate(&s.o, s.say()); err == nil || !strings.Contains(err.Error(), "no further folder to work in") {
		t.Errorf("a home as further folder: %v", err)
	}
	s.o.AllowHome = true
	if p := s.places(); p.fixed != "" || s.told("tools change nothing") {
		t.Errorf("allowed, and fixed: %q", p.fixed)
	}
}

// What is helve's own is named as effects name it, too, where it lies in the workspace.
func TestOwnFoldersInTheWorkspaceAreNamedFromThere(t *testing.T) {
	s := stands(t)
	if p := s.places(); len(p.guardedInside()) != 0 || slices.Contains(p.guardedTargets(), "state") {
		t.Errorf("inside %q, targets %q", p.guardedInside(), p.guardedTargets())
	}
	s.o.Dirs, s.o.AllowHome = []string{s.dir, s.home}, true
	p := s.places()
	name := "//" + filepath.Base(s.home) + "/state"
	if !slices.Contains(p.guardedInside(), s.o.State) || !slices.Contains(p.guardedTargets(), name) {
		t.Errorf("inside %q, targets %q, want %s", p.guardedInside(), p.guardedTargets(), name)
	}
}

// What is no folder is told in words, with what to do.
func TestWhatIsNoFolderIsTold(t *testing.T) {
	s := stands(t)
	for dir, want := range map[string]string{
		"":                            "the name of the folder is empty",
		filepath.Join(s.home, "none"): "name one that is there",
		s.o.Layers.User:               "is not a directory",
	} {
		if _, err := Folder(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", dir, err, want)
		}
	}
}
