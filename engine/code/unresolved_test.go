package code

import "testing"

// TestAFieldWithoutATypeIsNoDeadEnd: its members may be any of that name, and are edges.
func TestAFieldWithoutATypeIsNoDeadEnd(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"a.py":   "class Door:\n    def unlock(self): pass\nclass Car:\n    def __init__(self, door): self.door = door\n    def go(self): self.door.unlock()\n",
		"b.php":  "<?php class Gate { function unbar() {} }\nclass Yard { private $gate; function go() { $this->gate->unbar(); } }",
		"c.js":   "class Hatch { unseal() {} }\nclass Ship { constructor(h) { this.hatch = h } go() { this.hatch.unseal() } }\n",
		"D.java": "class Lid { void unscrew() {} }\nclass Jar<T extends Lid> { T top; T get() { return top; } void go() { top.unscrew(); get().unscrew(); } }\n",
		"e.cs":   "class Cap { void untwist() {} }\nclass Tube<T> where T : Cap { T top; void go() { top.untwist(); } }\n",
		"f.ts":   "class Valve { unlatch() {} }\nclass Pipe<T extends Valve> { top: T; go() { this.top.unlatch() } }\n",
	})
	wantUsers(t, s, "unlock", "a.py#Car.go call unique name")
	wantUsers(t, s, "unbar", "b.php#Yard.go call unique name")
	wantUsers(t, s, "unseal", "c.js#Ship.go call unique name")
	wantUsers(t, s, "unscrew", "D.java#Jar.go call exact")
	wantUsers(t, s, "untwist", "e.cs#Tube.go call unique name")
	wantUsers(t, s, "unlatch", "f.ts#Pipe.go call exact")
}

// TestWhatIsGivenUpIsCounted: a member that types of the language have, too, gets no edge from a receiver of which
// nothing is known.
func TestWhatIsGivenUpIsCounted(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"a.py":   "class Box:\n    def append(self, x): pass\ndef one(a):\n    a.append(1)\ndef two(b):\n    b.append(2)\ndef append(): pass\n",
		"B.java": "class Bag { int size() { return 1; } }\nclass Use { void go() { ((Bag) o).size(); } }\n",
	})
	for name, want := range map[string]int{"Box.append": 2, "a.py#append": 0, "Bag.size": 1, "Box": 0} {
		e, err := s.Dependents(t.Context(), name, Page{})
		if err != nil || e.Unresolved != want {
			t.Errorf("%s: %d unresolved, want %d, %v", name, e.Unresolved, want, err)
		}
		im, err := s.ImpactOfName(t.Context(), name, Limits{})
		if err != nil || im.Unresolved != want {
			t.Errorf("impact of %s: %d unresolved, want %d, %v", name, im.Unresolved, want, err)
		}
	}
}
