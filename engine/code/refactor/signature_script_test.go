package refactor

import (
	"errors"
	"strings"
	"testing"
)

func TestANewSignatureChangesAllCallsInTypeScript(t *testing.T) {
	for _, c := range []struct {
		name, of    string
		to          []Parameter
		files, want map[string]string
	}{
		{"another order, in calls that stand in calls", "a.ts#f", []Parameter{{Name: "b"}, {Name: "a"}},
			map[string]string{"a.ts": "export function f(a: Map<string, number>, b: (x: number, y: string) => void) {}\n", "b.ts": "import { f } from './a'\nimport * as all from './a'\n\n" +
				"f(new Map<string, number>(), (x, y) => { f(m, g) })\nall.f(\n  m,\n  g,\n)\nall?.f?.(m, g)\n"},
			map[string]string{"a.ts": "export function f(b: (x: number, y: string) => void, a: Map<string, number>) {}\n", "b.ts": "import { f } from './a'\nimport * as all from './a'\n\n" +
				"f((x, y) => { f(g, m) }, new Map<string, number>())\nall.f(\n  g,\n  m,\n)\nall?.f?.(g, m)\n"}},
		{"a value that calls pass", "a.ts#f", []Parameter{{Name: "n", Type: "number", Value: "1"}, {Name: "a"}, {Name: "b"}},
			map[string]string{"a.ts": "export const f = (a: string, b?: string): string => a\n", "c.ts": "import { f } from './a'\nexport const x = f('a')\nexport const y = `${f('a', f(x))}`\n"},
			map[string]string{"a.ts": "export const f = (n: number, a: string, b?: string): string => a\n", "c.ts": "import { f } from './a'\nexport const x = f(1, 'a')\nexport const y = `${f(1, 'a', f(1, x))}`\n"}},
		{"what was left out stays so", "a.ts#f", []Parameter{{Name: "a"}, {Name: "b"}, {Name: "n", Type: "number", Value: "1"}},
			map[string]string{"a.ts": "export function f(a: string, b = 2) {}\nf('a')\nf('a', 3)\n"},
			map[string]string{"a.ts": "export function f(a: string, b = 2, n: number) {}\nf('a', undefined, 1)\nf('a', 3, 1)\n"}},
		{"a default that no call passes", "a.ts#f", []Parameter{{Name: "a"}, {Name: "n", Type: "number", Default: "1"}},
			map[string]string{"a.ts": "export function f(a: string) {}\nf('a')\n"},
			map[string]string{"a.ts": "export function f(a: string, n: number = 1) {}\nf('a')\n"}},
		{"a method with those that override it", "a.ts#I.m", []Parameter{{Name: "n", Type: "number", Default: "1"}},
			map[string]string{"a.ts": "export interface I { m(a: string): void }\nexport class T implements I {\n  m(_a: string): void {}\n}\nexport class U extends T {\n  override m(): void { super.m('a') }\n}\n"},
			nil},
		{"a parameter goes that nothing uses", "a.ts#T.m", []Parameter{{Name: "b"}},
			map[string]string{"a.ts": "export class T {\n  static m(a: string, b: { a: number }) { return { a: b.a } }\n  n() { return T.m('x', { a: 1 }) }\n}\n"},
			map[string]string{"a.ts": "export class T {\n  static m(b: { a: number }) { return { a: b.a } }\n  n() { return T.m({ a: 1 }) }\n}\n"}},
		{"another name", "a.ts#f", []Parameter{{Name: "count", Old: "a"}},
			map[string]string{"a.ts": "export function f(a: number, ): object {\n  if (a > 1) return f(a - 1)\n  const o = { a, b: a, c: o2.a }\n  return a ? { ...o, d: `${a}` } : x ? a : o\n}\n"},
			map[string]string{"a.ts": "export function f(count: number, ): object {\n  if (count > 1) return f(count - 1)\n  const o = { a: count, b: count, c: o2.a }\n  return count ? { ...o, d: `${count}` } : x ? count : o\n}\n"}},
		{"JavaScript", "a.js#f", []Parameter{{Name: "b"}, {Name: "n", Default: "1"}, {Name: "rest"}},
			map[string]string{"a.js": "export function f(a, b, ...rest) { return b }\n", "b.jsx": "import { f } from './a.js'\nexport const x = <p>{f(1, 2)}</p>, y = f(1, 2, 3, ...z)\n"},
			map[string]string{"a.js": "export function f(b, n = 1, ...rest) { return b }\n", "b.jsx": "import { f } from './a.js'\nexport const x = <p>{f(2)}</p>, y = f(2, undefined, 3, ...z)\n"}},
	} {
		t.Run(c.name, func(t *testing.T) { checkSigned(t, c.of, c.to, c.files, c.want) })
	}
}

// checkSigned changes a signature and compares the files that are edited. Where none are wanted, it has to be refused.
func checkSigned(t *testing.T, of string, to []Parameter, files, want map[string]string) {
	t.Helper()
	got, _, err := signed(t, files, of, to...)
	if _, refused := errors.AsType[*RefusedError](err); err != nil && (want != nil || !refused) {
		t.Fatal(err)
	}
	for path := range want {
		if got[path] != want[path] {
			t.Errorf("%s:\n%s\nwant\n%s", path, got[path], want[path])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d files are edited, want %d", len(got), len(want))
	}
}

func TestASignatureOfTypeScriptThatIsNotSureIsRefused(t *testing.T) {
	files := map[string]string{
		"a.ts": "export function f(a: number, b?: number) { return a }\nexport function value(a: number) {}\nexport function over(a: string): void\nexport function over(a: number): void\nexport function over(a: any) {}\n" +
			"export function many(a: number, b: number) {}\nexport function generic<T>(a: T, b: T) {}\nexport function args(a: number) { return arguments.length }\nexport function aliased(a: number) {}\n" +
			"export default function chosen(a: number) {}\nexport const typed: (a: number) => void = (a) => {}\nexport function self(a: number, b = a) {}\nexport function shadow(a: number) { return (a: string) => a }\n" +
			"export function one(a: number) {}\nexport function order(a: number, b: number) {}\nexport function remarked(a: number, b: number) {}\nexport class T { get size() { return 1 }\n  m(a: number) {}\n  then(a: number) {} }\nexport interface Like { m(a: number): void }\n" +
			"export function split(a: boolean, b: boolean) {}\nexport function spread(a: number) {}\nexport function lone(a: number) {}\nexport function mine(a: number) {}\nexport function again(a: number) { for (const a of []) a }\n",
		"b.ts": "import { f, value, many, order, remarked, split, spread, lone, mine, aliased as other } from './a'\nimport { one } from './a'\nconst table = [value]\nf(1)\nmany(1, 2, 3)\norder(one(1), one(2))\nremarked(1, // one\n 2)\none(one.call)\none(f(1))\n" +
			"split(x < y, z > 1)\nspread(...list)\nconst used = 1\nlone(used)\nfunction g() { const near = 1; mine(near) }\nconst { ...rest } = {}\n",
	}
	for _, c := range []struct {
		name string
		to   []Parameter
		why  string
	}{
		{"f", []Parameter{{Name: "b"}}, "uses a"},
		{"f", []Parameter{{Name: "b"}, {Name: "a"}}, "cannot stand behind it"},
		{"f", []Parameter{{Name: "a"}, {Name: "b"}}, "has these parameters already: a, b"},
		{"f", []Parameter{{Name: "a"}, {Name: "b"}, {Name: "c", Type: "number"}}, "calls would pass nothing for c"},
		{"f", []Parameter{{Name: "a"}, {Name: "b"}, {Name: "c", Value: "1"}}, "c has no type"},
		{"f", []Parameter{{Name: "a"}, {Name: "b"}, {Name: "c", Type: "number", Value: "1, 2"}}, "is no type or value"},
		{"f", []Parameter{{Name: "a"}, {Name: "b"}, {Name: "c", Type: "number", Value: "this.x"}}, "does not mean the same everywhere"},
		{"f", []Parameter{{Name: "a"}, {Name: "b"}, {Name: "c", Type: "Gone", Default: "1"}}, "Gone means nothing here"},
		{"f", []Parameter{{Name: "c", Type: "number", Value: "used"}, {Name: "a"}, {Name: "b"}}, "used means something else here"},
		{"f", []Parameter{{Name: "b", Old: "a"}, {Name: "a", Old: "b"}}, "has another"},
		{"mine", []Parameter{{Name: "a"}, {Name: "c", Type: "number", Value: "near"}}, "near is a local name here"},
		{"value", nil, "used as a value"},
		{"over", nil, "several versions"},
		{"many", []Parameter{{Name: "b"}, {Name: "a"}}, "more arguments are passed"},
		{"generic", []Parameter{{Name: "b"}, {Name: "a"}}, "type parameters"},
		{"args", nil, "reached by arguments"},
		{"aliased", nil, "it gets another name here"},
		{"chosen", nil, "exported by default"},
		{"typed", nil, "not understood"},
		{"self", []Parameter{{Name: "b"}, {Name: "a"}}, "speaks of a"},
		{"shadow", []Parameter{{Name: "n", Old: "a"}}, "may be a key here"},
		{"again", []Parameter{{Name: "n", Old: "a"}}, "is bound 2 times"},
		{"order", []Parameter{{Name: "b"}, {Name: "a"}}, "another order"},
		{"one", nil, "something is called there"},
		{"remarked", []Parameter{{Name: "b"}, {Name: "a"}}, "comments stand among these"},
		{"T.size", []Parameter{{Name: "n", Type: "number", Value: "1"}}, "accessor"},
		{"T.then", nil, "library may call then"},
		{"T.m", nil, "another type has this name"},
		{"split", []Parameter{{Name: "b"}, {Name: "a"}}, "arguments were not understood"},
		{"spread", []Parameter{{Name: "a"}, {Name: "n", Type: "number", Value: "1"}}, "one expression gives several"},
		{"lone", nil, "used may be used for nothing else"},
	} {
		checkRefusedSignature(t, files, c.name, c.to, c.why)
	}
}

func checkRefusedSignature(t *testing.T, files map[string]string, name string, to []Parameter, why string) {
	t.Helper()
	_, changes, err := signed(t, files, name, to...)
	refusal, ok := errors.AsType[*RefusedError](err)
	if !ok {
		t.Errorf("change %s to %v: %v, %v, want a refusal", name, to, changes, err)
		return
	}
	if !strings.Contains(refusal.Error(), why) {
		t.Errorf("change %s to %v: %v, want %q in it", name, to, refusal, why)
	}
}
