package code

import (
	"strings"
	"testing"
)

// twins are what a project has in one language: a definition, its use in the same file, and one by way of an import.
var twins = map[string]map[string]string{
	"Go": {
		"go.mod": "module example.com/shop\n", "store/s.go": "package store\n\ntype Store struct{}\n\nfunc (s *Store) Keep() { s.Keep2() }\nfunc (s *Store) Keep2() {}\nfunc Open() *Store { return nil }\n",
		"main.go": "package main\n\nimport \"example.com/shop/store\"\n\nfunc main() { store.Open().Keep() }\n",
	},
	"Python": {
		"shop/__init__.py": "", "shop/store.py": "class Store:\n    def Keep(self):\n        self.Keep2()\n    def Keep2(self):\n        pass\n\ndef Open() -> Store:\n    return Store()\n",
		"shop/main.py": "from .store import Open\n\ndef main():\n    Open().Keep()\n",
	},
	"TypeScript": {
		"package.json": "{\"name\":\"shop\"}", "src/store.ts": "export class Store { Keep() { this.Keep2() } Keep2() {} }\nexport function Open(): Store { return new Store() }\n",
		"src/main.ts": "import { Open } from './store'\nexport function main() { Open().Keep() }\n",
	},
	"JavaScript": {
		"package.json": "{\"name\":\"shop\"}", "src/store.js": "class Store { Keep() { this.Keep2() } Keep2() {} }\nfunction Open() { return new Store() }\nmodule.exports = { Store, Open }\n",
		"src/main.js": "const { Open } = require('./store')\nfunction main() { Open().Keep() }\n",
	},
	"Java": {
		"shop/Store.java": "package shop;\nclass Store { void Keep() { Keep2(); } void Keep2() {} static Store Open() { return new Store(); } }\n",
		"shop/Main.java":  "package shop;\nclass Main { void main() { Store.Open().Keep(); } }\n",
	},
	"C": {
		"store.h": "struct Store { int n; };\nstruct Store *Open(void);\nvoid Keep(struct Store *s);\n",
		"store.c": "#include \"store.h\"\nstatic void Keep2(void) {}\nvoid Keep(struct Store *s) { Keep2(); }\nstruct Store *Open(void) { return 0; }\n",
		"main.c":  "#include \"store.h\"\nint main(void) { Keep(Open()); return 0; }\n",
	},
	"PHP": {
		"src/Store.php": "<?php\nnamespace Shop;\nclass Store { function Keep() { $this->Keep2(); } function Keep2() {} static function Open(): Store { return new Store(); } }\n",
		"src/Main.php":  "<?php\nnamespace Shop;\nclass Main { function main() { Store::Open()->Keep(); } }\n",
	},
	"Rust": {
		"Cargo.toml": "[package]\nname = \"shop\"\n", "src/store.rs": "pub struct Store;\nimpl Store { pub fn Keep(&self) { self.Keep2() } fn Keep2(&self) {} }\npub fn Open() -> Store { Store }\n",
		"src/main.rs": "mod store;\nuse crate::store::Open;\nfn main() { Open().Keep() }\n",
	},
}

// apart are the languages whose imports name files: there no use leads into the other project. Elsewhere two projects
// may be parts of one program, and a use that fits both is ambiguous.
var apart = map[string]bool{"Go": true, "Python": true, "TypeScript": true}

func TestTwoProjectsOfOneTreeKeepTheirNamesApart(t *testing.T) {
	for language, project := range twins {
		files := map[string]string{}
		for path, text := range project {
			files["one/"+path], files["two/"+path] = text, text
		}
		s, _ := open1(t, files)
		for _, name := range []string{"Open", "Keep", "Keep2"} {
			m, err := s.Find(t.Context(), name, Page{})
			if err != nil {
				t.Fatal(err)
			}
			places := map[string]int{}
			for _, x := range m.Matches {
				root, _, _ := strings.Cut(x.Path, "/")
				places[root]++
				e, err := s.Dependents(t.Context(), x.ID, Page{})
				if err != nil {
					t.Fatal(err)
				}
				own := false
				for _, u := range e.Edges {
					inside := strings.HasPrefix(u.Path, root+"/")
					own = own || inside
					if !inside && (apart[language] || u.Sure.Level != Ambiguous) {
						t.Errorf("%s: %s is used by %s, %s", language, x.ID, u.ID, u.Sure)
					}
				}
				if !own {
					t.Errorf("%s: nothing of its own project uses %s", language, x.ID)
				}
			}
			if places["one"] == 0 || places["one"] != places["two"] {
				t.Errorf("%s: %s is found in %v", language, name, places)
			}
		}
	}
}
