package code

import (
	"reflect"
	"testing"
)

// What nothing uses may still be in use: by itself, or by others outside of the tree to whom a file passes it on.
func TestWhatNothingElseUsesSaysWhoHasIt(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"a.ts":            "export function down(n: number): number { return n ? down(n - 1) : 0 }\nexport function plain() {}\n",
		"index.ts":        "export { down } from './a'\nexport { plain as bare } from './a'\n",
		"pkg/__init__.py": "from .b import walk\n",
		"pkg/b.py":        "def walk(n):\n    return walk(n - 1)\n\ndef used(): pass\nused()\n",
		"c.go":            "package c\n\nfunc Loop() { Loop() }\n",
	})
	for name, want := range map[string]Alone{
		"down":  {Itself: 1, Importers: []string{"index.ts"}},
		"plain": {Itself: 0, Importers: []string{"index.ts"}},
		"walk":  {Itself: 2, Importers: []string{"pkg/__init__.py"}},
		"Loop":  {Itself: 3, Importers: nil},
		"used":  {},
	} {
		e, err := s.Dependents(t.Context(), name, Page{})
		if err != nil || !reflect.DeepEqual(e.Alone, want) {
			t.Errorf("%s: %+v, want %+v, %v", name, e.Alone, want, err)
		}
		im, err := s.ImpactOfName(t.Context(), name, Limits{})
		if err != nil || !reflect.DeepEqual(im.Alone, want) && name != "used" {
			t.Errorf("impact of %s: %+v, want %+v, %v", name, im.Alone, want, err)
		}
	}
}

// A signature of TypeScript is no function of its own, as an overload of Java is.
func TestASignatureIsUsedByWhoUsesItsFunction(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"a.ts": "export function o(a: number): number;\nexport function o(a: string): string;\nexport function o(a: any) { return a }\n" +
			"export class Q { m(a: number): void; m(a: string): void; m(a: any) {} }\n",
		"b.ts":   "import { o, Q } from './a'\nexport function use(q: Q) { o(1); q.m(2) }\n",
		"A.java": "class A {\n int o(int a) { return 1; }\n int o(int a, int b) { return 2; }\n int use() { return o(1); }\n}\n",
	})
	for id, want := range map[string]int{"a.ts#o~1": 1, "a.ts#o~3": 1, "a.ts#Q.m~3": 1, "A.java#A.o~1": 1, "A.java#A.o~2": 0} {
		e, err := s.Dependents(t.Context(), id, Page{})
		if err != nil || len(e.Edges) != want {
			t.Errorf("%s: %v, want %d users, %v", id, arrows(e), want, err)
		}
	}
}
