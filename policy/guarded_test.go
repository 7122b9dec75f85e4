package policy

import "testing"

// Where the home is the workspace, helve's own files are named from there.
func TestHelvesOwnFilesAreGuardedByAnyName(t *testing.T) {
	guarded := []string{"/home/me/.config/helve", ".config/helve", "//other/state"}
	for target, want := range map[string]bool{
		".config/helve/config.json":          true,
		".config/helve":                      true,
		"/home/me/.config/helve/config.json": true,
		"//other/state/grants.json":          true,
		".config/helveX/a":                   false,
		"state/grants.json":                  false,
		"sub/.config/helve/config.json":      false,
		"//third/.config/helve/config.json":  false,
	} {
		r := &Rules{o: Options{Mode: Auto, Guarded: guarded}}
		p := newPlace(target)
		if got := r.guarded(&p) != ""; got != want {
			t.Errorf("%s: guarded is %v, want %v", target, got, want)
		}
	}
}

func TestGuards(t *testing.T) {
	r, err := New(Options{Guarded: []string{"/home/me/.local/state/helve"}})
	if err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]bool{
		".git/config":                           true,
		"sub/.git/hooks":                        true,
		".helve/x":                              true,
		"a/.mcp.json":                           true,
		".git/HEAD":                             false,
		"src/config":                            false,
		".vscode/x":                             false, // a person may allow it
		"//lib/.git/info":                       true,
		"/home/me/.local/state/helve/history/x": true,
		"/home/me/.local/state/other":           false,
	} {
		if why := r.Guards(target); (why != "") != want {
			t.Errorf("%s: %q", target, why)
		}
	}
}
