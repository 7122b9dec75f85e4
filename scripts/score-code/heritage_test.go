package main

import (
	"slices"
	"strings"
	"testing"
)

// TestOverridesAreReadFromTheHeadsOfTypes gives a text and what a server would say of its names: a method stands in for the nearest
// one above it, a metaclass is no base, and the head ends where the body begins.
func TestOverridesAreReadFromTheHeadsOfTypes(t *testing.T) {
	text := strings.Split(`class Meta(type):
    def run(self): pass
class Base(metaclass=Meta):
    def run(self): pass
    def stop(self): pass
class Middle(
    Base,
):
    held = Meta
class Last(Middle, metaclass=Meta):
    def run(self): pass
    def stop(self): pass`, "\n")
	s := &serverTruth{truth: &edgeTruth{
		Defs: []trueDef{
			{"a.py", 1, "Meta", "class"}, {"a.py", 2, "run", "method"},
			{"a.py", 3, "Base", "class"}, {"a.py", 4, "run", "method"}, {"a.py", 5, "stop", "method"},
			{"a.py", 6, "Middle", "class"}, {"a.py", 9, "held", "field"},
			{"a.py", 10, "Last", "class"}, {"a.py", 11, "run", "method"}, {"a.py", 12, "stop", "method"},
		},
		Uses: []trueUse{
			{"a.py", 3, "Meta", false, []int{0}}, {"a.py", 7, "Base", false, []int{2}}, {"a.py", 9, "Meta", false, []int{0}},
			{"a.py", 10, "Middle", false, []int{5}}, {"a.py", 10, "Meta", false, []int{0}},
		},
	}, members: map[int][]int{-1: {0, 2, 5, 7}, 0: {1}, 2: {3, 4}, 5: {6}, 7: {8, 9}}}
	s.inherit(map[string][]string{"a.py": text})
	if want := [][2]int{{8, 3}, {9, 4}}; !slices.Equal(s.truth.Over, want) {
		t.Errorf("overrides: got %v, want %v", s.truth.Over, want)
	}
}

// TestDecoratorsBelongToWhatTheyDecorate reads lines upwards from a definition.
func TestDecoratorsBelongToWhatTheyDecorate(t *testing.T) {
	lines := strings.Split(`x = call()
@first
@second(
    a,
    b(),
)
def f(): pass
# no decorator
def g(): pass`, "\n")
	got := []int{decorated(lines, 7), decorated(lines, 9), decorated(lines, 1)}
	if !slices.Equal(got, []int{2, 9, 1}) {
		t.Errorf("got %v, want [2 9 1]", got)
	}
}
