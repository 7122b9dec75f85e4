package code

import "testing"

func TestCallsThroughAnInterfaceReachWhatImplementsIt(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"go.mod":    "module example.com/app\n",
		"store.go":  "package app\ntype Reader interface{ Get(k string) string }\ntype Store interface {\n\tReader\n\tPut(k, v string)\n}\n",
		"memory.go": "package app\ntype Memory struct{}\nfunc (m *Memory) Get(k string) string { return k }\nfunc (m *Memory) Put(k, v string) {}\n",
		"disk.go":   "package app\ntype Disk struct{}\nfunc (Disk) Get(k string) string { return k }\nfunc (Disk) Put(k, v string) {}\n",
		"half.go":   "package app\ntype Half struct{}\nfunc (Half) Put(k, v string) {}\nfunc direct() { Half{}.Put(\"\", \"\") }\n",
		"use.go":    "package app\nfunc use(s Store) { s.Put(\"a\", \"b\") }\nfunc look(r Reader) { r.Get(\"a\") }\n",
	})
	wantUses(t, s, "use", "store.go#Store use same package", "store.go#Store.Put call same package",
		"disk.go#Disk.Put call ambiguous(2)", "memory.go#Memory.Put call ambiguous(2)")
	wantUsers(t, s, "Memory.Put", "use.go#use call ambiguous(2)")
	wantUsers(t, s, "Disk.Get", "use.go#look call ambiguous(2)")
	wantUsers(t, s, "Half.Put", "half.go#direct call exact")
	wantUsers(t, s, "Store.Put", "use.go#use call same package",
		"disk.go#Disk.Put implements unique name", "memory.go#Memory.Put implements unique name")
}

func TestTheOnlyImplementationIsUnique(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"go.mod": "module example.com/app\n",
		"a.go":   "package app\ntype Runner interface{ Run() }\ntype only struct{}\nfunc (only) Run() { work() }\nfunc work() {}\nfunc start(r Runner) { r.Run() }\n",
	})
	wantUsers(t, s, "only.Run", "a.go#start call unique name")
	c, err := s.Chain(t.Context(), "start", "work")
	if err != nil || len(c.Steps) != 2 {
		t.Errorf("from the call through the interface to the work: %+v, %v", c.Steps, err)
	}
}

func TestCallsOfABaseMethodReachItsOverrides(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"a.py": "class Base:\n    def run(self):\n        self.step()\n    def step(self):\n        pass\nclass Child(Base):\n    def step(self):\n        work()\nclass Grand(Child):\n    def step(self):\n        work()\ndef work():\n    pass\n",
		"src/Shape.java": "package s; interface Shape { double area(); } class Circle implements Shape { public double area() { return 1; } }" +
			" class User { void use(Shape s) { s.area(); } }",
		"s.ts": "export abstract class Task { abstract go(): void; all() { this.go(); } }\nexport class Mail extends Task { go() {} }\n",
	})
	wantUsers(t, s, "Child.step", "a.py#Grand.step overrides exact", "a.py#Base.run call ambiguous(2)")
	wantUses(t, s, "Base.run", "a.py#Base.step call exact", "a.py#Child.step call ambiguous(2)", "a.py#Grand.step call ambiguous(2)")
	wantUsers(t, s, "Circle.area", "src/Shape.java#User.use call unique name")
	wantUsers(t, s, "Mail.go", "s.ts#Task.all call unique name")
}

func TestADeclarationInAClassAndItsDefinitionOutsideAreOne(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"db.h": "namespace db {\nclass DB { public: virtual int Write(int x) = 0; int Put(int x); };\nclass Impl : public DB { public: int Write(int x) override; int Put(int x); void Room(); };\n}\n",
		"db.cc": "#include \"db.h\"\nnamespace db {\nint Impl::Put(int x) { return DB::Put(x); }\nint Impl::Write(int x) { Room(); return x; }\nvoid Impl::Room() {}\n" +
			"int DB::Put(int x) { return Write(x); }\n}\n",
	})
	e, err := s.FunctionSource(t.Context(), "Impl.Write", "", 0)
	if err != nil || e.Path != "db.cc" || len(e.Others) != 0 {
		t.Errorf("Impl.Write: %s, others %v, %v", e.ID, e.Others, err)
	}
	c, err := s.Chain(t.Context(), "Impl.Put", "Impl.Room")
	if err != nil || len(c.Steps) != 3 {
		t.Errorf("from Impl.Put to Impl.Room: %v, %v", c.Steps, err)
	}
}

func TestImportOfASubmoduleBindsThePackage(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"unit/__init__.py": "from .case import Case\n",
		"unit/case.py":     "class Case:\n    pass\n",
		"unit/mock.py":     "def patch():\n    pass\n",
		"use.py":           "import unit.mock\nimport unit\nclass Mine(unit.Case):\n    def go(self):\n        unit.mock.patch()\n",
	})
	wantUsers(t, s, "Case", "use.py#Mine inherit import-resolved")
	wantUsers(t, s, "patch", "use.py#Mine.go call import-resolved")
}

// TestAChainIsLookedForBetweenAllMeaningsOfItsNames: the most used ones are not connected here, others are. A call goes before
// a mention.
func TestAChainIsLookedForBetweenAllMeaningsOfItsNames(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"a.py": "def start(): pass\ndef use(): start()\ndef more(): start()\n",
		"b.py": "from c import finish\ndef start(): middle()\ndef middle(): finish()\n",
		"c.py": "def finish(): pass\n",
		"d.py": "def finish(): pass\ndef x(): finish()\ndef y(): finish()\ndef z(): finish()\n",
		"e.c":  "int last(void) { return 1; }\nint near(void) { return last(); }\nint begin(void *f) { if (f == last) return 2; return near(); }\n",
	})
	c, err := s.Chain(t.Context(), "start", "finish")
	if err != nil || len(c.Steps) != 2 || c.From.ID != "b.py#start" || c.To.ID != "c.py#finish" {
		t.Errorf("%v: from %s to %s: %v", err, c.From.ID, c.To.ID, c.Steps)
	}
	if len(c.FromOthers) != 1 || c.FromOthers[0].ID != "a.py#start" || len(c.ToOthers) != 1 || c.ToOthers[0].ID != "d.py#finish" {
		t.Errorf("others: %v, %v", c.FromOthers, c.ToOthers)
	}
	if c, err := s.Chain(t.Context(), "a.py#start", "finish"); err != nil || len(c.Steps) != 0 || c.From.ID != "a.py#start" {
		t.Errorf("an ID has one meaning: %v, %v", c, err)
	}
	if c, err := s.Chain(t.Context(), "begin", "last"); err != nil || len(c.Steps) != 2 || c.Steps[0].ID != "e.c#near" {
		t.Errorf("a comparison is no call: %v, %v", c.Steps, err)
	}
}
