package refactor

import (
	"errors"
	"strings"
	"testing"
)

func TestAMoveOfPythonTakesItsImportsAlongAndIsFollowed(t *testing.T) {
	for _, c := range []struct {
		name, of, to string
		files, want  map[string]string
	}{
		{"to a new file of a package", "p/m.py#f", "p/n.py",
			map[string]string{"p/__init__.py": "from .m import f, g\n",
				"p/m.py":    "from __future__ import annotations\n\nimport os\nfrom .util import join, other\n\n\n# f joins.\ndef f(a, b=1):\n    return join(a, os.sep)\n\n\ndef g():\n    return f(other)\n",
				"p/u.py":    "from p.m import (\n    f as h,\n    g,\n)\n\nh(1)\n\n\ndef late():\n    from .m import f\n\n    return f(2)\n",
				"p/util.py": "join = other = 1\n", "use.py": "from p import f\n\nf(1)\n"},
			map[string]string{"p/__init__.py": "from .m import g\nfrom .n import f\n",
				"p/m.py": "from __future__ import annotations\n\nimport os\nfrom .util import join, other\nfrom .n import f\n\n\ndef g():\n    return f(other)\n",
				"p/n.py": "from __future__ import annotations\n\nfrom .util import join\nimport os\n\n\n# f joins.\ndef f(a, b=1):\n    return join(a, os.sep)\n",
				"p/u.py": "from p.m import (\n    g,\n)\nfrom p.n import f as h\n\nh(1)\n\n\ndef late():\n    from .n import f\n\n    return f(2)\n"}},
		{"to a file that there is, with something that its file defines", "m.py#C", "n.py",
			map[string]string{"m.py": "def base():\n    return 1\n\n\nclass C(Exception):\n    def m(self):\n        return base()\n", "n.py": "\"\"\"N.\"\"\"\nimport re\n\nx = re\n"},
			map[string]string{"m.py": "def base():\n    return 1\n\n\n", "n.py": "\"\"\"N.\"\"\"\nimport re\nfrom m import base\n\nx = re\n\n\nclass C(Exception):\n    def m(self):\n        return base()\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := movedTo(t, c.files, c.of, c.to)
			if err != nil {
				t.Fatal(err)
			}
			for path, want := range c.want {
				if got[path] != want {
					t.Errorf("%s:\n%s\nwant\n%s", path, got[path], want)
				}
			}
			if len(got) != len(c.want) {
				t.Errorf("%d files are edited, want %d", len(got), len(c.want))
			}
		})
	}
}

func TestAMoveOfPythonThatIsNotSureIsRefused(t *testing.T) {
	files := map[string]string{
		"m.py": "import os.path\ntry:\n    import json\nexcept ImportError:\n    json = None\nfrom h import helper\n\n__all__ = [\"listed\"]\nlevel = 1\n\n\ndef listed():\n    pass\n\n\ndef reads():\n    return level\n\n\n" +
			"def both():\n    return one()\n\n\ndef one():\n    return both()\n\n\ndef sets():\n    global level\n    level = 2\n\n\ndef paths():\n    return os.path\n\n\ndef loads():\n    return json\n\n\ndef helps():\n    return helper\n\n\n" +
			"@register\ndef known():\n    pass\n\n\nclass Model(Base):\n    pass\n\n\nclass Fields:\n    a = make()\n\n\nclass Meta(metaclass=M):\n    pass\n\n\ndef again():\n    pass\n\n\nagain = again\n\n\nif level:\n    def inner():\n        pass\n\n\n" +
			"def default(a=make()):\n    pass\n\n\ndef patched():\n    pass\n",
		"n.py":          "import x\nhelper = 1\n",
		"dot.py":        "def dotted():\n    pass\n\n\ndef free():\n    pass\n",
		"h.py":          "helper = 1\n",
		"d.py":          "import dot\n\ndot.dotted()\n",
		"s.py":          "from m import patched\n\npatch(\"m.patched\")\n",
		"e.py":          "def unloaded():\n    pass\n\n\nprint(1)\n",
		"e2.py":         "from e import unloaded\n\nunloaded()\n",
		"star.py":       "def starred():\n    pass\n",
		"all.py":        "from star import *\n",
		"main.py":       "def run():\n    pass\n\n\nif __name__ == \"__main__\":\n    run()\n",
		"r.py":          "from r2 import two\n\n\ndef turn():\n    pass\n\n\nx = turn\n",
		"r2.py":         "import r\n\ntwo = r\n",
		"sub/s.py":      "",
		"k/__init__.py": "", "k/a.py": "def moved():\n    pass\n\n\ny = moved\n", "k/t.py": "from . import a\n\nz = a\n", "k/u.py": "from .t import z\n",
	}
	for _, c := range []struct{ name, to, why string }{
		{"m.py#listed", "new.py", "a string names it"},
		{"m.py#reads", "new.py", "may be set again"},
		{"m.py#both", "new.py", "would need one another"},
		{"m.py#sets", "new.py", "depends on its file: global"},
		{"m.py#paths", "new.py", "as a part of os.path"},
		{"m.py#loads", "new.py", "json"},
		{"m.py#helps", "n.py", "a name helper of its own"},
		{"m.py#known", "new.py", "its decorator"},
		{"m.py#Model", "new.py", "its base Base"},
		{"m.py#Fields", "new.py", "calls something"},
		{"m.py#Meta", "new.py", "metaclass"},
		{"m.py#again", "new.py", "has 2 versions"},
		{"m.py#inner", "new.py", "in a block"},
		{"m.py#default", "new.py", "calls something"},
		{"m.py#patched", "new.py", "a string names it"},
		{"dot.py#dotted", "new.py", "through its module"},
		{"m.py#level", "new.py", "functions and classes"},
		{"dot.py#dotted", "sub/s.py", "of the same folder"},
		{"dot.py#dotted", "new.txt", "no Python file"},
		{"dot.py#dotted", "__init__.py", "nothing is moved"},
		{"dot.py#free", "dot.py", "already"},
		{"dot.py#free", "main.py", "is a program"},
		{"e.py#unloaded", "new.py", "does something when it is loaded, in line 5"},
		{"star.py#starred", "new.py", "imports all"},
		{"main.py#run", "new.py", "is a program"},
		{"r.py#turn", "r2.py", "imports this file"},
		{"k/a.py#moved", "k/u.py", "imports this file"},
	} {
		_, err := movedTo(t, files, c.name, c.to)
		if refusal, ok := errors.AsType[*RefusedError](err); !ok || !strings.Contains(refusal.Error(), c.why) {
			t.Errorf("move %s to %s: %v, want %q in it", c.name, c.to, err, c.why)
		}
	}
}
