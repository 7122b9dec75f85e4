//go:build unix

package history

import (
	"context"
	"io"
	"strconv"
	"strings"
	"testing"

	"helve/internal/change"
)

// What the history adds to a set of one file of 20 KB, and to one of ten files.
func BenchmarkCall(b *testing.B) {
	for _, files := range []int{1, 10} {
		for _, kept := range []bool{false, true} {
			b.Run(strconv.Itoa(files)+"/kept="+strconv.FormatBool(kept), func(b *testing.B) {
				g := newGround(b)
				for n := 0; b.Loop(); n++ {
					set := &change.Set{}
					tree, err := change.OpenTree(g.root)
					if err != nil {
						b.Fatal(err)
					}
					for i := range files {
						c := file("f"+strconv.Itoa(i), strings.Repeat("line "+strconv.Itoa(n)+"\n", 2000))
						if c.Was, err = tree.Look(c.Path); err != nil {
							b.Fatal(err)
						}
						set.Changes = append(set.Changes, c)
					}
					tree.Close()
					if kept {
						_, err = g.store.make(context.Background(), Call{ID: strconv.Itoa(n)}, set)
					} else {
						err = g.plain(set)
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// plain makes a set without a history.
func (g *ground) plain(set *change.Set) error {
	t, err := change.Begin(g.store.o.changes())
	if err != nil {
		return err
	}
	defer t.Close()
	_, err = t.Apply(context.Background(), set)
	return err
}

func BenchmarkUndoOfAThousandFiles(b *testing.B) {
	g := newGround(b)
	var changes []change.Change
	for i := range 1000 {
		text := strings.Repeat(strconv.Itoa(i)+"\n", 500)
		g.put("f"+strconv.Itoa(i), "old "+text)
		c := file("f"+strconv.Itoa(i), text)
		c.Write = func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
		changes = append(changes, c)
	}
	g.call(changes...)
	for n := 0; b.Loop(); n++ {
		plan, err := g.store.PlanUndo("")
		if n%2 == 1 {
			plan, err = g.store.PlanRedo()
		}
		if err != nil {
			b.Fatal(err)
		}
		if _, err := g.store.Apply(context.Background(), Call{ID: "u" + strconv.Itoa(n)}, plan, false); err != nil {
			b.Fatal(err)
		}
	}
}
