package refactor

import "testing"

func TestANewSignatureChangesAllCallsInPython(t *testing.T) {
	for _, c := range []struct {
		name, of    string
		to          []Parameter
		files, want map[string]string
	}{
		{"another order, in calls that stand in calls", "a.py#f", []Parameter{{Name: "b"}, {Name: "a"}},
			map[string]string{"a.py": "def f(a: int, b=lambda x, y: x):\n    return a\n", "b.py": "from a import f\nimport a\n\nx = 1\nf(f(x, lambda p, q: p), b=x)\na.f(b=x, a=2)\na.f(\n    x,\n    x,\n)\n"},
			nil},
		{"an order of which some have no default", "a.py#f", []Parameter{{Name: "b"}, {Name: "a"}, {Name: "c"}},
			map[string]string{"a.py": "def f(a: int, b, c=lambda x, y: x):\n    return a\n", "b.py": "from a import f\nimport a\n\nx = 1\nf(x, lambda p, q: p, 3)\na.f(b=x, a=2)\na.f(\n    x,\n    b=f(1, 2),\n)\n"},
			map[string]string{"a.py": "def f(b, a: int, c=lambda x, y: x):\n    return a\n", "b.py": "from a import f\nimport a\n\nx = 1\nf(lambda p, q: p, x, 3)\na.f(b=x, a=2)\na.f(\n    a=x,\n    b=f(2, 1),\n)\n"}},
		{"a method gets a value and a default", "a.py#T.m", []Parameter{{Name: "n", Value: "1"}, {Name: "a"}, {Name: "deep", Type: "bool", Default: "False"}},
			map[string]string{"a.py": "class T:\n    def m(self, a):\n        return self.m(a)\n\nclass U(T):\n    def m(\n        self,\n        a\n    ):\n        return super().m(a=a)\n"},
			map[string]string{"a.py": "class T:\n    def m(self, n, a, deep: bool = False):\n        return self.m(1, a)\n\nclass U(T):\n    def m(\n        self,\n        n, a, deep: bool = False\n    ):\n        return super().m(1, a=a)\n"}},
		{"a method without parameters gets one", "a.py#T.m", []Parameter{{Name: "n", Value: "1"}},
			map[string]string{"a.py": "class T:\n    def m(self):\n        return self.m()\n"},
			map[string]string{"a.py": "class T:\n    def m(self, n):\n        return self.m(1)\n"}},
		{"a method loses its only one", "a.py#T.m", nil,
			map[string]string{"a.py": "class T:\n    @classmethod\n    def m(cls, a):\n        return T.m(1)\n\n    def n(self):\n        return self.m('a', )\n"},
			map[string]string{"a.py": "class T:\n    @classmethod\n    def m(cls):\n        return T.m()\n\n    def n(self):\n        return self.m()\n"}},
		{"one that is left out in between", "a.py#f", []Parameter{{Name: "a"}, {Name: "n", Value: "0"}, {Name: "b"}, {Name: "*"}, {Name: "c"}, {Name: "more"}},
			map[string]string{"a.py": "def f(a, b=1, *, c=2, **more):\n    pass\n\nf(1)\nf(1, 2)\nf(1, c=3, d=4)\n"},
			map[string]string{"a.py": "def f(a, n, b=1, *, c=2, **more):\n    pass\n\nf(1, 0)\nf(1, 0, 2)\nf(1, 0, c=3, d=4)\n"}},
		{"another name, with the arguments that have it", "a.py#f", []Parameter{{Name: "count", Old: "a"}, {Name: "b"}},
			map[string]string{"a.py": "def f(a, b):\n    \"\"\"Does a.\"\"\"\n    def g(x):\n        return x + a\n    return f(a=a, b=b.a(a, d={a: 1}, e=dict(a=a)))\n", "b.py": "import a\n\na.f(1, b=2)\na.f(b=2, a=1)\n"},
			map[string]string{"a.py": "def f(count, b):\n    \"\"\"Does a.\"\"\"\n    def g(x):\n        return x + count\n    return f(count=count, b=b.a(count, d={count: 1}, e=dict(a=count)))\n", "b.py": "import a\n\na.f(1, b=2)\na.f(b=2, count=1)\n"}},
		{"arguments that are left", "a.py#f", []Parameter{{Name: "b"}, {Name: "rest"}},
			map[string]string{"a.py": "def f(a, b, *rest):\n    return b\n\nf(1, 2, 3, 4)\n"},
			map[string]string{"a.py": "def f(b, *rest):\n    return b\n\nf(2, 3, 4)\n"}},
	} {
		t.Run(c.name, func(t *testing.T) { checkSigned(t, c.of, c.to, c.files, c.want) })
	}
}

func TestASignatureOfPythonThatIsNotSureIsRefused(t *testing.T) {
	files := map[string]string{
		"a.py": "import functools\n\ndef f(a, b=1):\n    return a\n\ndef value(a):\n    pass\n\n@functools.cache\ndef cached(a):\n    pass\n\ndef formatted(a):\n    return f'{a}'\n\ndef reached(a):\n    return locals()\n\n" +
			"def bare(a, /, b):\n    pass\n\ndef aliased(a):\n    pass\n\ndef spread(a, b):\n    pass\n\ndef generated(a):\n    pass\n\ndef stars(a, *rest):\n    pass\n\ndef keyed(**more):\n    pass\n\n" +
			"class T:\n    def m(self, a):\n        pass\n\n    def through(self, a):\n        pass\n\n    def named(self, a):\n        pass\n\nclass U(T):\n    def named(self, b):\n        pass\n\nclass Other:\n    def m(self, a):\n        pass\n",
		"b.py":      "from a import *\nfrom a import f, value, spread, generated, stars, keyed, T\nfrom a import aliased as other\n\ntable = [value]\nspread(*table)\ngenerated(x for x in table)\nstars(1, 2, 3)\nkeyed(n=1)\nT.through(T(), 1)\n",
		"test_c.py": "def helper(a):\n    pass\n",
	}
	ba := []Parameter{{Name: "b"}, {Name: "a"}}
	for _, c := range []struct {
		name string
		to   []Parameter
		why  string
	}{
		{"a.py#f", []Parameter{{Name: "b"}}, "uses a"},
		{"a.py#f", ba, "cannot stand behind it"},
		{"a.py#f", []Parameter{{Name: "a"}, {Name: "b"}, {Name: "n", Value: "1"}}, "cannot stand behind it"},
		{"a.py#f", []Parameter{{Name: "n", Value: "self.x"}, {Name: "a"}, {Name: "b"}}, "does not mean the same"},
		{"a.py#value", nil, "used as a value"},
		{"a.py#cached", nil, "functools.cache"},
		{"a.py#formatted", nil, "counts as code"},
		{"a.py#reached", nil, "reached by locals"},
		{"a.py#bare", ba, "have no name: /"},
		{"a.py#aliased", nil, "gets another name here"},
		{"a.py#spread", ba, "gives several arguments"},
		{"a.py#generated", []Parameter{{Name: "a"}, {Name: "n", Value: "1"}}, "a generator is passed"},
		{"a.py#keyed", []Parameter{{Name: "n", Value: "1"}, {Name: "more"}}, "passes n, which it does not have"},
		{"a.py#T.m", nil, "another type has this name"},
		{"a.py#T.through", nil, "called through its type"},
		{"a.py#T.named", nil, "its parameters are others"},
		{"test_c.py#helper", nil, "whose runner"},
	} {
		checkRefusedSignature(t, files, c.name, c.to, c.why)
	}
}
