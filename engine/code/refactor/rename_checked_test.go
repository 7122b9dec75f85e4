package refactor

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"helve/engine/code"
)

// filesAfter are the files of a plan as they would be.
func filesAfter(c *Changes) map[string]string {
	out := map[string]string{}
	for i := range c.Files {
		out[c.Files[i].Path] = string(c.Files[i].After())
	}
	return out
}

func wantRefused(t *testing.T, what string, err error, words ...string) {
	t.Helper()
	refusal, ok := errors.AsType[*RefusedError](err)
	if !ok {
		t.Errorf("%s: %v, want a refusal", what, err)
		return
	}
	for _, w := range words {
		if text := refusal.Error() + "\n" + refusal.Next; !strings.Contains(text, w) {
			t.Errorf("%s: %s\nwant %q in it", what, text, w)
		}
	}
}

// allTold are what a server says of doors: one receiver is a door, one of a library, one is a safe.
func allTold() map[string]code.Meaning {
	return map[string]code.Meaning{
		"use.py: a.unlock()": at("door.py", 1, 8),
		"use.py: b.unlock()": {Known: true},
		"use.py: c.unlock()": at("safe.py", 1, 8),
	}
}

func TestACheckerSettlesWhatARenameCannot(t *testing.T) {
	s, _ := withChecker(t, &told{by: allTold()}, doors)
	c, err := Rename(t.Context(), s, "Door.unlock", "open")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"door.py": strings.Replace(doors["door.py"], "unlock", "open", 1),
		"use.py":  strings.Replace(doors["use.py"], "a.unlock", "a.open", 1),
	}
	if got := filesAfter(c); !maps.Equal(got, want) {
		t.Errorf("files afterwards: %q, want %q", got, want)
	}
	if note := "told settled 3 places that names do not explain: 1 mean it, 2 do not"; !slices.Contains(c.Notes, note) {
		t.Errorf("notes %q, want %q", c.Notes, note)
	}
}

func TestARenameIsRefusedWhereACheckerDoesNotKnowAll(t *testing.T) {
	by := allTold()
	delete(by, "use.py: c.unlock()")
	s, _ := withChecker(t, &told{by: by}, doors)
	_, err := Rename(t.Context(), s, "Door.unlock", "open")
	wantRefused(t, "one is not known", err, "1 places are not sure", "use.py:6: nothing is known", "Of 3 places that names do not explain, a language server settles 2.")

	for name, c := range map[string]*told{"no answers": {}, "too few answers": {few: true}} {
		s, _ := withChecker(t, c, doors)
		_, err := Rename(t.Context(), s, "Door.unlock", "open")
		wantRefused(t, name, err, "3 places are not sure")
		if len(c.asked) != 3 {
			t.Errorf("%s: asked about %d places, want 3", name, len(c.asked))
		}
	}
}

func TestNoCheckerIsAskedWhatIsRefusedAnyway(t *testing.T) {
	files := maps.Clone(doors)
	files["use.py"] += "print(f\"{unlock}\")\n"
	c := &told{by: allTold()}
	s, _ := withChecker(t, c, files)
	_, err := Rename(t.Context(), s, "Door.unlock", "open")
	wantRefused(t, "a text that is code", err, "counts as code", "nothing is known of the value")
	if len(c.asked) > 0 {
		t.Errorf("asked about %+v", c.asked)
	}
}

func TestACheckerIsAskedAboutSoManyPlacesAtMost(t *testing.T) {
	files := maps.Clone(doors)
	for i := range maxSettled {
		files["use.py"] += fmt.Sprintf("def more%d(a):\n    a.unlock()\n", i)
	}
	c := &told{by: allTold()}
	s, _ := withChecker(t, c, files)
	_, err := Rename(t.Context(), s, "Door.unlock", "open")
	wantRefused(t, "too many", err, "asked about 400 places at most")
	if len(c.asked) > 0 {
		t.Errorf("asked about %d places", len(c.asked))
	}
}

// liar says of every place the same.
type liar struct{ lie code.Meaning }

func (l *liar) Checks(code.Language) bool { return true }

func (l *liar) Meanings(_ context.Context, _ iter.Seq[code.Entry], places []code.Asked) []code.Meaning {
	return slices.Repeat([]code.Meaning{l.lie}, len(places))
}

// TestALiarIsNotBelievedWhereTheIndexKnowsBetter: of places that the index knows it is asked, too, and one that contradicts
// these is believed nowhere. What it says of places that have no such name counts as nothing.
func TestALiarIsNotBelievedWhereTheIndexKnowsBetter(t *testing.T) {
	files := maps.Clone(doors)
	files["sure.py"] = "from door import Door\nfrom safe import Safe\nDoor().unlock()\nSafe().unlock()\n"
	for name, lie := range map[string]code.Meaning{
		"all are the definition": at("door.py", 1, 8),
		"all are another":        at("safe.py", 1, 8),
		"all are outside":        {Known: true},
		"a line behind the end":  at("door.py", 99, 0),
		"a file that is gone":    at("gone.py", 1, 8),
		"a file outside":         at("../door.py", 1, 8),
		"another name":           at("door.py", 0, 6),
		"the middle of the name": at("door.py", 1, 10),
	} {
		lie.By = "liar"
		s, _ := withChecker(t, &liar{lie}, files)
		_, err := Rename(t.Context(), s, "Door.unlock", "open")
		wantRefused(t, name, err, "not sure to mean", "nothing is known of the value")
		_, err = SafeDelete(t.Context(), s, "Door.unlock")
		wantRefused(t, name, err, "is used")
		_, err = ChangeSignature(t.Context(), s, "Door.unlock", []Parameter{{Name: "key", Value: "1"}})
		wantRefused(t, name, err, "speak against other parameters")
	}
}

func TestACheckerSaysThatNobodyUsesWhatIsDeleted(t *testing.T) {
	by := allTold()
	s, _ := withChecker(t, &told{by: by}, doors)
	_, err := SafeDelete(t.Context(), s, "Door.unlock")
	wantRefused(t, "one uses it", err, "use.py:2: uses it")
	by["use.py: a.unlock()"] = at("safe.py", 1, 8)
	files := maps.Clone(doors)
	files["door.py"] += "    def close(self): pass\n"
	s, _ = withChecker(t, &told{by: by}, files)
	c, err := SafeDelete(t.Context(), s, "Door.unlock")
	if err != nil {
		t.Fatal(err)
	}
	if got := filesAfter(c)["door.py"]; got != "class Door:\n    def close(self): pass\n" || len(c.Files) != 1 {
		t.Errorf("door.py afterwards: %q, %d files", got, len(c.Files))
	}
	if note := "told settled 3 places that names do not explain: 0 mean it, 3 do not"; !slices.Contains(c.Notes, note) {
		t.Errorf("notes %q, want %q", c.Notes, note)
	}
}

func TestACheckerSettlesCallsOfOtherParameters(t *testing.T) {
	files := map[string]string{"door.py": doors["door.py"], "use.py": doors["use.py"]}
	by := allTold()
	by["use.py: c.unlock()"] = at("door.py", 1, 8)
	s, _ := withChecker(t, &told{by: by}, files)
	c, err := ChangeSignature(t.Context(), s, "Door.unlock", []Parameter{{Name: "key", Value: "1"}})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("a.unlock()", "a.unlock(1)", "c.unlock()", "c.unlock(1)").Replace(doors["use.py"])
	if got := filesAfter(c)["use.py"]; got != want {
		t.Errorf("use.py afterwards: %q, want %q", got, want)
	}
}

// shapes have two types with a field of one name, and values that may be of either.
var shapes = map[string]string{
	"shape.ts": "export interface Round { size: number }\nexport interface Flat { size: number }\nexport type Shape = Round | Flat\n",
	"use.ts": "import { Round, Flat, Shape } from './shape'\n" +
		"export function one(s: Shape) { return s.size }\n" +
		"export function two(r: Round) { const { size } = r; return size }\n",
}

func TestAValueOfSeveralTypesIsNotRenamedForOne(t *testing.T) {
	for _, name := range []string{"Round.size", "Flat.size"} {
		s, _ := open1(t, shapes)
		_, err := Rename(t.Context(), s, name, "width")
		wantRefused(t, name, err, "use.ts:2: the value may be of several types")
	}
	s, _ := open1(t, map[string]string{"m.py": "from typing import Union\nclass A:\n    size = 1\nclass B:\n    size = 2\n" +
		"def f(x: Union[A, B]): return x.size\ndef g(x: \"A | B\"): return x.size\n"})
	_, err := Rename(t.Context(), s, "A.size", "width")
	wantRefused(t, "Python", err, "m.py:6: ", "m.py:7: ")
}

func TestWhatAValueOfSeveralTypesHasIsRenamedTogether(t *testing.T) {
	round, flat := code.Definition{Path: "shape.ts", Position: code.Position{Line: 0, Column: 25}}, code.Definition{Path: "shape.ts", Position: code.Position{Line: 1, Column: 24}}
	by := map[string]code.Meaning{
		"use.ts: export function one(s: Shape) { return s.size }":                   {Known: true, At: []code.Definition{round, flat}},
		"use.ts: export function two(r: Round) { const { size } = r; return size }": {Known: true, At: []code.Definition{round}},
	}
	s, _ := withChecker(t, &told{by: by}, shapes)
	c, err := Rename(t.Context(), s, "Round.size", "width")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"shape.ts": strings.ReplaceAll(shapes["shape.ts"], "size", "width"),
		"use.ts":   strings.NewReplacer("s.size", "s.width", "{ size }", "{ width: size }").Replace(shapes["use.ts"]),
	}
	if got := filesAfter(c); !maps.Equal(got, want) {
		t.Errorf("files afterwards: %q, want %q", got, want)
	}
	if note := "renamed with it, since values may be of several types: shape.ts#Flat.size"; !slices.Contains(c.Notes, note) {
		t.Errorf("notes %q, want %q", c.Notes, note)
	}
}
