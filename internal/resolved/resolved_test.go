package resolved

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAPathLeadsWhereTheSystemSays: as filepath.EvalSymlinks has it, which asks for each path by itself.
func TestAPathLeadsWhereTheSystemSays(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for _, d := range []string{"a/b", "c"} {
		if err := os.MkdirAll(at(d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"abs": at("a"), "rel": "a/b", "up": "c/../a", "two": "abs/b", "dangling": "nowhere", "loop": "loop", "a/b/out": "../../c",
	} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Skip("there are no links here: ", err)
		}
	}
	if err := os.WriteFile(at("a/b/f"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := Paths{}
	for _, name := range []string{
		"", "a", "a/b/f", "abs/b/f", "rel/f", "up/b", "two/f", "a/b/out", "rel/out", "dangling", "loop", "none", "rel/none/x",
		"a/b/f/x", "abs/b/out/y", "dangling/x", "two",
	} {
		for range 2 { // remembered, too
			if got, want := p.Of(at(name)), slowly(at(name)); got != want {
				t.Errorf("%s is %s, want %s", name, got, want)
			}
			real, err := filepath.EvalSymlinks(at(name))
			if got, there := p.There(at(name)); there != (err == nil) || there && got != real {
				t.Errorf("%s is %s, there: %v, want %s, %v", name, got, there, real, err)
			}
		}
	}
}

func slowly(path string) string {
	real, err := filepath.EvalSymlinks(path)
	switch {
	case err == nil:
		return real
	case path == filepath.Dir(path):
		return path
	}
	return filepath.Join(slowly(filepath.Dir(path)), filepath.Base(path))
}
