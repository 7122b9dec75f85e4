package code

import "testing"

// What the parameters of a function without a name are, the function says that takes it: where it is declared what it takes.
func TestParametersOfACallbackAreWhatItsTakerDeclares(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"lamp.ts": `export class Lamp { glow() {} dim() {} blink() {} fade() {} burn() {} shut() {} spark() {} }
export class Torch { glow() {} dim() {} blink() {} fade() {} burn() {} shut() {} spark() {} }
`,
		"take.ts": `import { Lamp, Torch } from "./lamp";
export function take(n: number, each: (this: Torch, lamp: Lamp, rest: Map<string, Torch>, torch?: Torch) => void): void {}
export const hold = <T>(each: (lamp: Lamp | null) => T, other: (torch: Torch) => T = x => x) => each;
export class Room<T> { constructor(private each: (l: Lamp, t: T) => (() => void) | void) {} }
export class Hall extends Room<string> {}
export function untold(each: Function) {}
`,
		"use.ts": `import { Lamp } from "./lamp";
import { take, hold, Room, Hall, untold } from "./take";
import { given } from "elsewhere";
function a() { take(1, (l, m, t) => { l.glow(); t.dim(); m.spark(); }); }
function b() { return new Room<string>(async l => l.blink()); }
function c() { return new Hall(function (l) { l.fade(); }); }
function d() { hold(l => 1, t => t.burn()); }
function e() { untold(l => l.shut()); }
function f() { take(1, [1, l => l.shut()]); take(1, (take: any) => take((l: any) => l.shut())); given(l => l.shut()); }
function g() { take(2, (l = 1, { x }, t: Lamp) => t.glow()); }
`,
	})
	for name, want := range map[string][]string{
		"Lamp.glow":  {"use.ts#a call import-resolved", "use.ts#g call import-resolved"},
		"Torch.glow": nil,
		"Torch.dim":  {"use.ts#a call import-resolved"},
		"Lamp.dim":   nil,
		"Lamp.blink": {"use.ts#b call import-resolved"},
		"Lamp.fade":  {"use.ts#c call import-resolved"},
		"Torch.burn": {"use.ts#d call import-resolved"},
		"Lamp.burn":  nil,
		"Lamp.spark": {"use.ts#a call ambiguous(2)"},
		"Lamp.shut":  {"use.ts#e call ambiguous(2)", "use.ts#f call ambiguous(2)"},
	} {
		wantUsers(t, s, name, want...)
	}
}

// What a function results in is not what its parameters take.
func TestWhatAFunctionTakesIsNoResult(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"a.ts": `class Lamp { glow() {} make(f: (t: Torch) => void): Lamp { return this; } }
class Torch { glow() {} }
function make(f: (t: Torch) => void): Lamp { return new Lamp(); }
function none(f: (t: Torch) => void) {}
function use() { make(x => 1).glow(); new Lamp().make(x => 2).glow(); }
function other() { none(x => 1).glow(); }
`,
	})
	wantUsers(t, s, "Lamp.glow", "a.ts#use call exact", "a.ts#other call ambiguous(2)")
	wantUsers(t, s, "Torch.glow", "a.ts#other call ambiguous(2)")
}
