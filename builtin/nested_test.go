package builtin_test

import (
	"os"
	"path/filepath"
	"testing"

	"helve/builtin"
	"helve/tool"
)

// In whatever order the pieces come, the one that would make git take a folder for a repository is refused, and so is a
// setting of a repository that is there. What else has these names is written.
func TestNoFileToolMakesARepositoryThatGitObeys(t *testing.T) {
	type step struct {
		path    string
		refused bool
	}
	for name, steps := range map[string][]step{
		"HEAD last":    {{"sub/config", false}, {"sub/objects/x", false}, {"sub/refs/heads/x", false}, {"sub/HEAD", true}},
		"refs last":    {{"sub/HEAD", false}, {"sub/config", false}, {"sub/objects/x", false}, {"sub/refs/x", true}},
		"a file refs":  {{"sub/HEAD", false}, {"sub/objects/x", false}, {"sub/refs", true}},
		"commondir":    {{"a/b/config", false}, {"a/b/commondir", false}, {"a/b/HEAD", true}},
		"at the top":   {{"objects/x", false}, {"HEAD", false}, {"config", false}, {"refs/x", true}},
		"deep":         {{"x/refs/a/b/c", false}, {"x/HEAD", false}, {"x/objects/a/b/c", true}},
		"other things": {{"config", false}, {"src/config", false}, {"src/HEAD", false}, {"src/refs/x", false}, {"hooks/x", false}},
		"there":        {{"bare/config", true}, {"bare/hooks/x", true}, {"bare/info/attributes", true}, {"bare/description", false}},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, builtin.Options{})
			for _, dir := range []string{"bare/objects", "bare/refs"} {
				if err := os.MkdirAll(filepath.Join(f.dir, dir), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(f.dir, "bare/HEAD"), []byte("ref: refs/heads/main\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			for _, s := range steps {
				res := f.call("write", args{"file_path": s.path, "content": "x\n"})
				_, err := os.Stat(filepath.Join(f.dir, s.path))
				refused := res.Err != nil && res.Err.Code == tool.Permission
				if refused != s.refused || (err == nil) == s.refused {
					t.Errorf("%s: refused %v, want %v; on disk: %v\n%s", s.path, refused, s.refused, err, res.Text())
				}
			}
		})
	}
}
