package meaning

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// toy is a language that nothing in the program knows but this file.
const toy = syntax.Language(31)

// toyRules are the rules of the toy language, as those of any other stand in its file.
var toyRules = Rules{
	Language: toy,

	implicitThis: true,
	common:       WordSet("size"),

	constructors: WordSet("create"),

	// A module is the file of its name, below src.
	module: func(r *evaluator, name string, _ *store.File) []int32 {
		return r.modules.paths("src/" + strings.ReplaceAll(name, ".", "/") + ".kt")
	},
}

var toyFiles = texts{
	"src/shapes/base.kt": `open class Shape {
    open fun area(): Int { return 0 }
    fun twice(): Int { return area() }
}

fun draw(s: Shape) { s.area() }
`,
	"main.kt": `import shapes.base.Shape
import shapes.base.draw

class Square : Shape {
    fun create() { }
    override fun area(): Int { return 4 }
    fun size(): Int { return 1 }
}

fun main(anything) {
    draw(Square())
    anything.size()
}
`,
}

// What a language means is its rules: the same texts mean more in a language that has some.
func TestANewLanguageIsItsRules(t *testing.T) {
	with, without := meanings(t, newTable(&toyRules)), meanings(t, newTable())
	for _, c := range []struct{ reference, with, without string }{
		// What needs no rules: scopes, types that are written down.
		{"src/shapes/base.kt draw Shape", "Shape exact", "Shape exact"},
		{"src/shapes/base.kt draw area", "Shape.area exact", "Shape.area exact"},
		{"main.kt main Square", "Square exact", "Square exact"},
		// implicitThis
		{"src/shapes/base.kt twice area", "Shape.area exact", ""},
		// module
		{"main.kt Square Shape", "Shape import-resolved", ""},
		{"main.kt main draw", "draw import-resolved", ""},
		// common
		{"main.kt main size", "", "Square.size unique name"},
		// Who uses what: by way of the import, of the base and of the constructor.
		{"users of draw", "main", ""},
		{"users of Shape.area", "Shape.twice draw Square.area", "draw"},
		{"users of Square.create", "main", ""},
	} {
		if got := with[c.reference]; got != c.with {
			t.Errorf("%s with the rules: %q, want %q", c.reference, got, c.with)
		}
		if got := without[c.reference]; got != c.without {
			t.Errorf("%s without rules: %q, want %q", c.reference, got, c.without)
		}
	}
}

// meanings are what the references of the toy's files mean, and who uses what they define, by the rules of a table.
func meanings(t *testing.T, table *rulesTable) map[string]string {
	t.Helper()
	tree := read(t, toyFiles)
	for _, f := range tree.Files {
		f.Lang = toy // a reader of another language stands for the toy's own
	}
	r := newResolver(t.Context(), tree, table)
	out := map[string]string{}
	for n, f := range tree.Files {
		for _, u := range tree.RefsOf(int32(n)) {
			from := tree.Def(store.At(int32(n), u.From))
			what := fmt.Sprintf("%s %s %s", f.Path, tree.Lex.Text(from.Name), tree.Lex.Text(u.Name))
			for _, target := range r.Resolve(int32(n), &u) {
				out[what] = fmt.Sprintf("%s %s", tree.Qualified(target.DefID), target.Sure)
			}
		}
	}
	for _, name := range []string{"draw", "Shape.area", "Square.create"} {
		var users []string
		y := defined(t, tree, name)
		for _, a := range append(r.Users([]store.DefID{y}), r.Replacing(y)...) {
			users = append(users, tree.Qualified(a.To))
		}
		out["users of "+name] = strings.Join(users, " ")
	}
	return out
}

// defined is the only definition of a name with what is around it.
func defined(t *testing.T, tree *store.Snapshot, name string) store.DefID {
	t.Helper()
	list := slices.DeleteFunc(tree.Named(name[strings.LastIndexByte(name, '.')+1:]), func(y store.DefID) bool {
		return tree.Qualified(y) != name
	})
	if len(list) != 1 {
		t.Fatalf("%d definitions are called %s", len(list), name)
	}
	return list[0]
}
