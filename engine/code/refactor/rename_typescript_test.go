package refactor

import (
	"maps"
	"regexp"
	"strings"
	"testing"
)

// lamps declare a field, and use it as the key of literals and patterns.
const lamps = `export interface Lamp { size: number; inner?: Lamp }
export interface Fire { size: number }
`

func TestKeysWhoseTypeIsWrittenAreRenamed(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a variable":            {"const a: Lamp = { size: 1 }", "const a: Lamp = { width: 1 }"},
		"a short key":           {"const b: Lamp = { size }", "const b: Lamp = { width: size }"},
		"another type":          {"const c: Fire = { size: 1 }", ""},
		"as":                    {"f({ size: 1 } as Lamp, { size: 2 } satisfies Fire)", "f({ width: 1 } as Lamp, { size: 2 } satisfies Fire)"},
		"a parameter's pattern": {"function f({ size }: Lamp) { return size }", "function f({ width: size }: Lamp) { return size }"},
		"one with a value":      {"const f = (a: Fire, { size = 2 }: Lamp) => size", "const f = (a: Fire, { width: size = 2 }: Lamp) => size"},
		"a pattern of one":      {"function f(l: Lamp) {\n  const { size: s, inner } = l\n}", "function f(l: Lamp) {\n  const { width: s, inner } = l\n}"},
		"a list of exports":     {"import { size } from 'elsewhere'\nexport { size }", ""},
	} {
		files := map[string]string{"a.ts": lamps, "b.ts": "import { Lamp, Fire } from './a'\n" + c.text + "\n"}
		got, _, err := renamed(t, files, "a.ts#Lamp.size", "width")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := c.want
		if want != "" {
			want = "import { Lamp, Fire } from './a'\n" + want + "\n"
		}
		if got["b.ts"] != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got["b.ts"], want)
		}
	}
}

func TestKeysOfUnknownTypesAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"nothing says it":            "const a = { size: 1 }",
		"an argument":                "f({ size: 1 })",
		"a part of a type":           "const a: Lamp | null = { size: 1 }",
		"a generic type":             "const a: Partial<Lamp> = { size: 1 }",
		"a list":                     "const a: Lamp[] = [{ size: 1 }]",
		"a literal in another":       "const a: Lamp = { inner: { size: 1 } }",
		"any":                        "const a: any = { size: 1 }",
		"an alias":                   "type T = Partial<Lamp>\nconst a: T = { size: 1 }",
		"a base of elsewhere":        "interface T extends Elsewhere {}\nconst a: T = { size: 1 }",
		"a case":                     "switch (x) { case Lamp: y = { size: 1 } }",
		"a variable of another kind": "function f(l: Lamp) {\n  const g = (l) => {\n    const { size } = l\n  }\n}",
		"a list of another function": "const g = (l: Lamp) => 1\nfunction f() {\n  const { size } = l\n}",
		"a larger expression":        "function f(l: Lamp) {\n  const { size } = l ?? other\n}",
	} {
		files := map[string]string{"a.ts": lamps, "b.ts": "import { Lamp, Fire } from './a'\n" + text + "\n"}
		_, _, err := renamed(t, files, "a.ts#Lamp.size", "width")
		wantRefused(t, name, err, "not sure to mean a.ts#Lamp.size")
	}
}

func TestAPatternOfTheObjectItselfIsRenamed(t *testing.T) {
	src := "class A {\n  size = 1\n  inner: B\n  one() { const { size } = this; return size }\n  two() {\n    const { size } = this.inner\n  }\n}\nclass B { size = 2 }\n"
	want := "class A {\n  width = 1\n  inner: B\n  one() { const { width: size } = this; return size }\n  two() {\n    const { size } = this.inner\n  }\n}\nclass B { size = 2 }\n"
	got, _, err := renamed(t, map[string]string{"a.ts": src}, "A.size", "width")
	if err != nil || got["a.ts"] != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got["a.ts"], want)
	}
}

func TestAFieldThatAConstructorDeclaresIsRenamedWithItsParameter(t *testing.T) {
	src := "export class A {\n  constructor(private size: number, readonly other = size) {\n    log(size, this.size)\n    const f = () => size\n  }\n" +
		"  get() { return this.size }\n}\nexport function g(size: number) { return size }\n"
	want := "export class A {\n  constructor(private width: number, readonly other = width) {\n    log(width, this.width)\n    const f = () => width\n  }\n" +
		"  get() { return this.width }\n}\nexport function g(size: number) { return size }\n"
	files := map[string]string{"a.ts": src}
	got, _, err := renamed(t, files, "A.size", "width")
	if err != nil || got["a.ts"] != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got["a.ts"], want)
	}
	s, _ := open1(t, files)
	_, err = SafeDelete(t.Context(), s, "A.other")
	wantRefused(t, "delete", err, "declared as a parameter of the constructor")
	for name, text := range map[string]string{
		"another local name":     "class A {\n  constructor(private size: number) {\n    const f = (size: number) => size\n  }\n}\n",
		"a local name called so": "class A {\n  constructor(private size: number) {\n    const width = 1; log(size, width)\n  }\n}\n",
		"the name of another":    "class A {\n  constructor(private size: number, cb: (size: number) => void) {}\n}\n",
		"a key of the same name": "class A {\n  constructor(private size: number) { log({ size }) }\n}\n",
		"a field called so":      "class A {\n  constructor(private size: number, private width: number) {}\n}\n",
	} {
		_, _, err := renamed(t, map[string]string{"a.ts": text}, "A.size", "width")
		wantRefused(t, name, err)
	}
}

func TestAValueThatIsCalledLikeATypeOfTheLanguageIsNotRenamed(t *testing.T) {
	_, _, err := renamed(t, map[string]string{"a.ts": "export function never() {}\nexport const n: Set<never> = new Set<never>()\n"}, "never", "nowhere")
	wantRefused(t, "never", err, "a type of TypeScript")
}

func TestWhatIsPutIntoATypedVariableIsNotRenamed(t *testing.T) {
	src := "const traps: ProxyHandler<object> = {}\ntraps.deleteProperty = function (a, b) { return true }\nexport default traps\n"
	_, _, err := renamed(t, map[string]string{"a.ts": src}, "traps.deleteProperty", "drop")
	wantRefused(t, "a handler", err, "a type may ask for it")
}

func TestATypeAndAValueOfOneNameAreRenamedTogether(t *testing.T) {
	got, _, err := renamed(t, map[string]string{
		"a.ts": "export interface Lamp { on: boolean }\nexport const Lamp = make<Lamp>()\n",
		"b.ts": "import { Lamp } from './a'\nexport const l: Lamp = Lamp.of()\n",
	}, "a.ts#Lamp~1", "Light")
	want := map[string]string{
		"a.ts": "export interface Light { on: boolean }\nexport const Light = make<Light>()\n",
		"b.ts": "import { Light } from './a'\nexport const l: Light = Light.of()\n",
	}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %q, want %q", err, got, want)
	}
}

func TestPartsOfTypesAreRenamed(t *testing.T) {
	src := "export enum Kind { A }\nexport interface Lamp { kind: Kind.A; next: null | Lamp }\n" +
		"export function isLamp(x: any): x is Lamp { return true }\ntype Pair<T extends Lamp = Lamp> = readonly [T, Lamp[], Lamp[]]\n"
	for name, to := range map[string]string{"Kind": "Sort", "Lamp": "Light"} {
		got, _, err := renamed(t, map[string]string{"a.ts": src}, name, to)
		want := regexp.MustCompile(`\b`+name+`\b`).ReplaceAllString(src, to)
		if err != nil || got["a.ts"] != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got["a.ts"], want)
		}
	}
	text := "export interface Lamp {}\nexport type F<Lamp> = { a: Lamp.x }\n"
	got, _, err := renamed(t, map[string]string{"a.ts": text}, "Lamp", "Light")
	if want := strings.Replace(text, "Lamp", "Light", 1); err != nil || got["a.ts"] != want {
		t.Errorf("a type parameter: %v\n%s\nwant\n%s", err, got["a.ts"], want)
	}
}

func TestAWordOfTheLanguageIsNoMember(t *testing.T) {
	files := map[string]string{
		"a.ts": "export interface P { type: number }\nexport type Q = P\n",
		"b.ts": "import type { P, Q } from './a'\nimport { type P as R } from './a'\nexport type { P }\nexport const f = (p: P) => p.type\n",
	}
	got, _, err := renamed(t, files, "P.type", "kind")
	want := strings.Replace(files["b.ts"], "p.type", "p.kind", 1)
	if err != nil || got["b.ts"] != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got["b.ts"], want)
	}
}
