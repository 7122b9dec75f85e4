package refactor

import "testing"

// TestWhoChangesCodeIsToldOfUnlikelyUses: a refactoring leaves nothing out for being unlikely.
func TestWhoChangesCodeIsToldOfUnlikelyUses(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"a.py": "class Module:\n    def identify(self): pass\n", "b.py": "class Chunk:\n    def identify(self): pass\n",
		"use.py": "def one(module):\n    module.identify()\n",
	})
	if c, err := SafeDelete(t.Context(), s, "b.py#Chunk.identify"); err == nil {
		t.Errorf("deleted by %+v: want a refusal", c)
	}
}
