package code

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAFileThatOnlyPassesOnHasDependents is what index.js and __init__.py are for.
func TestAFileThatOnlyPassesOnHasDependents(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"src/index.ts":    "export * from './a';\nexport { b as c } from './b';\n",
		"src/a.ts":        "export function a() {}\n",
		"src/b.ts":        "export function b() {}\n",
		"app/star.ts":     "import * as all from '../src';\nall.a();\n",
		"app/named.ts":    "import { a } from '../src/index.js';\na();\n",
		"app/effect.ts":   "import '../src';\n",
		"pkg/__init__.py": "from .inner import thing\n",
		"pkg/inner.py":    "def thing():\n    pass\n",
		"use.py":          "import pkg\npkg.thing()\n",
	})
	for path, want := range map[string][]string{
		"src/index.ts":    {"app/effect.ts", "app/named.ts", "app/star.ts"},
		"src/a.ts":        {"app/named.ts", "app/star.ts", "src/index.ts"},
		"pkg/__init__.py": {"use.py"},
		"pkg/inner.py":    {"use.py", "pkg/__init__.py"},
	} {
		links, err := s.FileDependents(t.Context(), path, Page{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range links.Files {
			got = append(got, l.Path)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the dependents of %s: want -, got +:\n%s", path, diff)
		}
	}
}
