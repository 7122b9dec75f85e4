package refactor

import (
	"errors"
	"strings"
	"testing"
)

// movedTo moves a definition in a tree and answers the files after it.
func movedTo(t *testing.T, files map[string]string, name, to string) (map[string]string, error) {
	t.Helper()
	s, _ := open1(t, files)
	c, err := Move(t.Context(), s, name, to)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for i := range c.Files {
		out[c.Files[i].Path] = string(c.Files[i].After())
	}
	return out, nil
}

func TestAMoveOfTypeScriptTakesItsImportsAlongAndIsFollowed(t *testing.T) {
	for _, c := range []struct {
		name, of, to string
		files, want  map[string]string
	}{
		{"to a new file", "a/m.ts#f", "b/n.ts",
			map[string]string{"a/m.ts": "import { join, other } from './util.js';\nimport * as fs from 'fs';\n\n// f joins.\nexport function f(a: string) {\n  return join(a, fs.sep);\n}\n\nexport const g = f(other);\n",
				"a/util.ts": "export const join = (a: string, b: string) => a + b;\nexport const other = '';\n",
				"index.ts":  "export { f, g } from './a/m.js';\n", "use.ts": "import { f } from './index.js';\nf('');\n", "use2.ts": "import { f as h } from './a/m.js'\nh('')\n"},
			map[string]string{"a/m.ts": "import { other } from './util.js';\nimport { f } from '../b/n.js';\n\nexport const g = f(other);\n",
				"b/n.ts":   "import { join } from '../a/util.js';\nimport * as fs from 'fs';\n\n// f joins.\nexport function f(a: string) {\n  return join(a, fs.sep);\n}\n",
				"index.ts": "export { g } from './a/m.js';\nexport { f } from './b/n.js';\n", "use2.ts": "import { f as h } from './b/n.js'\nh('')\n"}},
		{"to a file that used it", "m.ts#T", "n.ts",
			map[string]string{"m.ts": "import type { U } from './u'\nexport interface T { u: U }\nexport const k = 1\n", "n.ts": "import { T, k } from './m'\nexport function f(t: T) { return k }\n", "u.ts": "export type U = string\n"},
			map[string]string{"m.ts": "export const k = 1\n", "n.ts": "import { k } from './m'\nimport type { U } from './u'\nexport function f(t: T) { return k }\n\nexport interface T { u: U }\n"}},
		{"an overload, past what passes on all of its file", "m.ts#f", "n.ts",
			map[string]string{"m.ts": "export const k = 1;\n/** one */\nexport function f(a: string): void;\n/** two */\nexport function f(a: number): void;\nexport function f(a: any) {}\n",
				"all.ts": "export * from './m';\n", "use.ts": "import { f } from './all';\nf(1);\n"},
			map[string]string{"m.ts": "export const k = 1;\n", "all.ts": "export * from './m';\nexport { f } from './n';\n",
				"n.ts": "/** one */\nexport function f(a: string): void;\n/** two */\nexport function f(a: number): void;\nexport function f(a: any) {}\n"}},
		{"the last of several imports go", "m.ts#T", "n.ts",
			map[string]string{"m.ts": "import {\n  a,\n  type B,\n  type C,\n} from './u'\nexport type T = B | C\nexport const m = a\n", "n.ts": "export const n = 1\n",
				"u.ts": "export const a = 1\nexport type B = 1\nexport type C = 2\n"},
			map[string]string{"m.ts": "import {\n  a,\n} from './u'\nexport const m = a\n",
				"n.ts": "import { type B, type C } from './u'\n\nexport const n = 1\n\nexport type T = B | C\n"}},
		{"the only one of its file", "m.ts#f", "n.ts",
			map[string]string{"m.ts": "export function f() {}\r\n", "n.ts": "export const n = 1\n"},
			map[string]string{"m.ts": "export {}\r\n", "n.ts": "export const n = 1\n\nexport function f() {}\n"}},
		{"with something that its file exports", "m.ts#f", "n.ts",
			map[string]string{"m.ts": "export const k = 1\nexport function f() { return k }\n", "n.ts": "export const x = 1\n"},
			map[string]string{"m.ts": "export const k = 1\n", "n.ts": "import { k } from './m'\n\nexport const x = 1\n\nexport function f() { return k }\n"}},
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

func TestAMoveOfTypeScriptThatIsNotSureIsRefused(t *testing.T) {
	files := map[string]string{
		"m.ts": "import { helper } from './h'\nconst hidden = 1\nexport function uses() { return hidden }\nexport let changed = 1\nexport const one = 1, two = 2\nexport default function chosen() {}\n" +
			"export function starred() {}\nexport function inside() {}\nexport function both() { return k }\nexport const k = both\nexport function help() { return helper }\nexport class C {}\nexport function dotted() {}\nexport class T { m() {} }\nexport const lazy = () => import('./h')\n",
		"n.ts":      "import { C } from './m'\nexport const c = new C()\nexport const helper = 1\nexport function inside() {}\n",
		"d.ts":      "import * as m from './m'\nm.dotted()\n",
		"h.ts":      "export const helper = 1\n",
		"h2.ts":     "import { h3 } from './h3'\nexport const h2 = h3\n",
		"h3.ts":     "export const h3 = 1\nexport function back() {}\nexport const used = back\n",
		"p.ts":      "const { taken } = { taken: 1 }\nfunction takes() { return taken }\nexport const x = takes()\n",
		"e.ts":      "export function unloaded() {}\nregister()\n",
		"ns.ts":     "export * as ns from './star'\n",
		"star.ts":   "export function starry() {}\n",
		"call.ts":   "export const made = make()\nexport const pure = /*#__PURE__*/ make()\nfunction make() { return 1 }\n",
		"round.ts":  "import { turn } from './turn'\nexport class Round {}\nexport const r = turn\n",
		"turn.ts":   "import { r } from './round'\nexport const turn = () => r\n",
		"mock.ts":   "export function mocked() {}\n",
		"mocks.ts":  "import { mocked } from './mock'\nvi.mock('./mock', () => ({ mocked: 1 }))\nmocked()\n",
		"apart.ts":  "export function over(a: string): void;\nexport const between = 1\nexport function over(a: any) {}\n",
		"block.ts":  "declare global {\n\tinterface Inner {}\n}\nexport const inner: Inner = {}\n",
		"global.ts": "function everywhere() {}\n",
		"common.js": "module.exports = { f }\nfunction f() {}\n", "other.js": "export const x = 1\n",
		"client.ts": "'use client'\nexport const x = 1\n",
	}
	for _, c := range []struct{ name, to, why string }{
		{"m.ts#uses", "n.ts", "which is not exported"},
		{"m.ts#changed", "n.ts", "can be set again"},
		{"m.ts#two", "n.ts", "shares its line"},
		{"m.ts#chosen", "n.ts", "by default"},
		{"m.ts#inside", "n.ts", "a name inside of its own"},
		{"m.ts#both", "n.ts", "would need one another"},
		{"m.ts#help", "n.ts", "a name helper of its own"},
		{"m.ts#C", "n.ts", "before the end of the file"},
		{"m.ts#dotted", "n.ts", "through its module"},
		{"m.ts#T.m", "n.ts", "stands in a definition"},
		{"h3.ts#back", "h2.ts", "would have to import it"},
		{"star.ts#starry", "n.ts", "passes on all"},
		{"p.ts#takes", "n.ts", "not followed"},
		{"e.ts#unloaded", "n.ts", "does something when it is loaded, in line 2"},
		{"call.ts#made", "n.ts", "calls something"},
		{"round.ts#Round", "new.ts", "imports itself through others"},
		{"mock.ts#mocked", "n.ts", "a string names the file"},
		{"block.ts#Inner", "n.ts", "stands in a block"},
		{"apart.ts#over", "n.ts", "do not stand together"},
		{"global.ts#everywhere", "n.ts", "is no module"},
		{"common.js#f", "other.js", "by assignments"},
		{"m.ts#lazy", "n.ts", "the place of its file"},
		{"n.ts#helper", "client.ts", "begins with"},
		{"m.ts#k", "n.js", "is no .ts file"},
		{"m.ts#k", "../n.ts", "is no .ts file"},
		{"m.ts#k", "m.ts", "already"},
	} {
		_, err := movedTo(t, files, c.name, c.to)
		if refusal, ok := errors.AsType[*RefusedError](err); !ok || !strings.Contains(refusal.Error(), c.why) {
			t.Errorf("move %s to %s: %v, want %q in it", c.name, c.to, err, c.why)
		}
	}
}
