package edit_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"helve/builtin/internal/edit"
)

// A sketch is a file of blocks that are indented by tabs, no line of which is like another.
//
// In half of them a word that is longer than any other stands in the middle of each line: what is looked for first says
// nothing of the place.
func sketch(r *rand.Rand) (lines []string, depth []int) {
	at, common := 0, ""
	if r.IntN(2) == 0 {
		common = "thelongestwordofall "
	}
	for i := range 12 + r.IntN(12) {
		if i > 0 {
			at = max(0, min(at+r.IntN(3)-1, 4))
		}
		words := fmt.Sprintf("call%d(a%d) %s+ second%d %s", i, i, common, i, strings.Repeat(fmt.Sprintf("third%d ", i), r.IntN(3)))
		lines = append(lines, strings.TrimRight(words, " "))
		depth = append(depth, at)
	}
	return lines, depth
}

// written is lines with an indentation for each level.
func written(lines []string, depth []int, indent, end string) string {
	var b strings.Builder
	for i, l := range lines {
		b.WriteString(strings.Repeat(indent, depth[i]))
		b.WriteString(l)
		b.WriteString(end)
	}
	return b.String()
}

// respaced changes the white space of lines that an edit leaves as they are, but never whether two words are separated.
func respaced(r *rand.Rand, l string) string {
	if r.IntN(2) == 0 {
		l = strings.Replace(l, " + ", "  +   ", 1)
	}
	if r.IntN(2) == 0 {
		l += strings.Repeat(" ", 1+r.IntN(3))
	}
	return l
}

// Whatever white space a model gets wrong in the old text: the edit lands in its place, with the file's white space, or
// is refused. It never lands elsewhere, and changes nothing around it.
func TestAnEditWithOtherWhiteSpaceLandsInItsPlaceOrNowhere(t *testing.T) {
	applied, all := 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		end := []string{"\n", "\r\n"}[r.IntN(2)]
		lines, depth := sketch(r)
		content := written(lines, depth, "\t", end)
		from := r.IntN(len(lines) - 1)
		to := min(len(lines), from+1+r.IntN(5))
		at := from + r.IntN(to-from)
		base := depth[from]
		for _, d := range depth[from:to] {
			base = min(base, d)
		}
		if r.IntN(2) == 0 {
			base = 0
		}
		old, changed := make([]string, 0, 8), make([]string, 0, 8)
		var less []int
		for i := from; i < to; i++ {
			l := lines[i]
			if i != at {
				l = respaced(r, l)
			}
			old = append(old, l)
			if i == at {
				l = strings.Replace(l, "second", "other", 1)
			}
			changed = append(changed, l)
			less = append(less, depth[i]-base)
		}
		indent := []string{"    ", "  ", "\t"}[r.IntN(3)]
		e := edit.Edit{Old: written(old, less, indent, "\n"), New: written(changed, less, indent, "\n")}
		if r.IntN(2) == 0 {
			e.Old, e.New = strings.TrimSuffix(e.Old, "\n"), strings.TrimSuffix(e.New, "\n")
		}
		want := strings.Replace(content, fmt.Sprintf("+ second%d", at), fmt.Sprintf("+ other%d", at), 1)
		got, _, refused := plan(content, e)
		all++
		switch {
		case refused != nil:
			t.Logf("seed %d: %v\n%q\nin\n%q", seed, refused, e.Old, content)
		case got != want:
			t.Errorf("seed %d: %q\nby %q\nin  %q\ngot %q\nwant %q", seed, e.Old, e.New, content, got, want)
		default:
			applied++
		}
	}
	if applied*100 < 95*all {
		t.Errorf("%d of %d were applied, want 95 of 100", applied, all)
	}
}

// Two texts that differ in where their words begin and end differ in more than white space.
func TestAWordOfAnEditIsAWholeWordOfTheFile(t *testing.T) {
	const old = "\tset alpha  to gammadelta now\n\tand then  beta\n"
	for _, there := range []string{
		"preset alpha to gammadelta now\nand then beta\n",
		"set prealpha to gammadelta now\nand then beta\n",
		"set alphapost to gammadelta now\nand then beta\n",
		"set alpha to pregammadelta now\nand then beta\n",
		"set alpha to gammadeltapost now\nand then beta\n",
		"set alpha to gammadelta nowpost\nand then beta\n",
		"set alpha to gammadelta now\nbrand then beta\n",
		"set alpha to gammadelta now\nand thenbeta\n",
		"set alpha to gammadelta now\nand then betapost\n",
		"set alpha to gammadelta now and then beta\n",
		"set alpha to gammadelta now\n\nand then beta\n",
		"set other to gammadelta now\nand then beta\n",
		"set alpha to gammadelta now\nand other beta\n",
		"alpha to gammadelta now\nand then beta\n",
	} {
		if got, _, r := plan("x\n"+there+"y\n", edit.Edit{Old: old, New: "z\n"}); r == nil {
			t.Errorf("%q: became %q", there, got)
		}
	}
	for _, there := range []string{"set alpha to gammadelta now\nand then beta\n", "set alpha to gammadelta now\nand then beta"} {
		if got, _, r := plan("x\n"+there, edit.Edit{Old: old, New: "\tset alpha  to other\n"}); r != nil || !strings.HasPrefix(got, "x\nset alpha  to other") {
			t.Errorf("%q: %q, %v", there, got, r)
		}
	}
}

// Where lines end differently, each line that an edit keeps ends as before, whatever is put between them or goes.
func TestEachKeptLineKeepsItsEnding(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		ends := map[string]string{}
		var content, old, new strings.Builder
		for i := range 3 + r.IntN(8) {
			line := fmt.Sprintf("line%d", i)
			ends[line] = []string{"\n", "\r\n"}[r.IntN(2)]
			content.WriteString(line + ends[line])
			old.WriteString(line + "\n")
			if r.IntN(3) == 0 {
				fmt.Fprintf(&new, "added%d\n", i)
			}
			if r.IntN(3) > 0 {
				new.WriteString(line + "\n")
			}
		}
		got, _, refused := plan("\r\n"+content.String()+"\n", edit.Edit{Old: old.String(), New: new.String() + "last\n"})
		if refused != nil {
			t.Errorf("seed %d: %v", seed, refused)
			continue
		}
		var words strings.Builder
		for line := range strings.Lines(strings.TrimPrefix(got, "\r\n")) {
			word := strings.TrimRight(line, "\r\n")
			words.WriteString(word + "\n")
			if want, kept := ends[word]; kept && line != word+want {
				t.Errorf("seed %d: %q in %q, want %q", seed, line, got, want)
			}
		}
		if words.String() != new.String()+"last\n\n" {
			t.Errorf("seed %d: %q, want the lines %q", seed, got, new.String())
		}
	}
}
