package refactor

import (
	"strings"
	"unicode"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// A language is what one adds to a refactoring. What all share stands in the plan; a language is asked for what only it
// can say.
type language interface {
	naming
	writing
	kinship
	files
	rules
	values
	moving
	signatures
}

// naming is what a language knows of names.
type naming interface {
	// badName says why a text cannot be a name; empty, it can.
	badName(name string) string
	// visible reports whether others than its package may use a name, and whether only that can name it.
	visible(name string) (exported, private bool)
	// fixed refuses a definition whose name the language gives a meaning.
	fixed(p *subject, f *store.File, d *store.Def, to string) error
	// public reports whether code outside the tree can name the subject.
	public(p *subject, f *store.File) bool
}

// writing is how a language is written.
type writing interface {
	// comment begins one that ends with its line.
	comment() string
	// grouped reports whether definitions of a kind may be declared together.
	grouped(k syntax.Kind) bool
	// written is a mention with another name; alone reports whether that stands for itself.
	written(p *subject, f *scan, s *syntax.Site, to string) (text string, alone bool)
	// leave adds to the edits of a file what goes with them.
	leave(p *project, n int32, e *FileEdits)
}

// kinship is what has to have the same name.
type kinship interface {
	// extend adds it to the group.
	extend(p *subject) error
	// overrides adds the methods that implement or override the subject, and those that it implements or overrides.
	overrides(p *subject) error
	// inheritsUnknown reports whether a type has bases of which nothing is known.
	inheritsUnknown(p *project, t store.DefID) bool
	// samePackage reports whether two files name the top of one another alone.
	samePackage(f, g *store.File) bool
}

// files are what a language has to say of whole files.
type files interface {
	// imports reports whether names come into a file by its imports.
	imports() bool
	// folder is the first part of the name of a module.
	folder(module string) string
	// words looks for the name in files of other kinds.
	words(m *mentions) error
	// hazards refuses a subject whose uses cannot all be seen, for how its file passes it on.
	hazards(m *mentions) error
	// hides finds what speaks against a file that is no place of the name.
	hides(m *mentions, f *scan)
}

// rules are those of a language for mentions.
type rules interface {
	// special rules on what only this language has; ok is false for all else.
	special(j *judge, f *scan, s *syntax.Site) (what ruling, why string, ok bool)
	// bare rules on a name that stands alone.
	bare(j *judge, f *scan, s *syntax.Site, found meaning.Found) (ruling, string)
	// unread rules on a token that the reader of the language passed by.
	unread(j *judge, f *scan, s *syntax.Site) (ruling, string)
	// property reports whether a token names a property where no type says of what.
	property(f *scan, s *syntax.Site) bool
	// literal reports whether a definition is the key of a literal that a variable holds.
	literal(p *subject, f *scan, s *syntax.Site) bool
}

// values are what a language says of the values before a dot.
type values interface {
	// outside reports whether an expression that leads out of the tree stays there.
	outside(p *subject, n, from int32, expr string) bool
	// loose reports whether a value that seems to be of type y may have a member that y has not.
	loose(p *subject, f *scan, y store.DefID) bool
	// passes reports whether a file has the module of the subject as a value.
	passes(p *subject, f *scan) bool
	// opens reports whether a module may have a name that was not found in it.
	opens(p *subject, v meaning.Value) bool
}

// moving is how a definition comes to another file.
type moving interface {
	// moves are the steps of a move.
	moves(m *move) []func() error
	// loads are the files that a file imports, in a project that is run from home.
	loads(p *project, n int32, home string) []int32
}

// signatures is what a language says of parameters.
type signatures interface {
	habits() habits
	// changeable refuses functions that others call than those that name them.
	changeable(c *signing) error
	// nameOf is the token of a definition's name, and declaration reads the parameters behind it.
	nameOf(t *tokens, d *store.Def, name string) int
	declaration(c *signing, t *tokens, n int32, d *store.Def, i int) (b *brackets, params []parameter, why string)
	// checkNew refuses new parameters that cannot be declared.
	checkNew(c *signing, i int, w Parameter) error
	// rewrite makes the edits of a file in which the subject is meant.
	rewrite(g *signingFile)
}

// habits are those of a language with parameters.
type habits struct {
	needs    string // what makes one a new one
	renames  bool   // they are renamed
	keywords bool   // arguments are given by name, too, and receivers as arguments
	commas   commas
}

// languageOf is that of a family, nil where none is known.
func languageOf(family syntax.Language) language {
	switch family {
	case syntax.Go:
		return golang{}
	case syntax.Python:
		return python{}
	case syntax.JavaScript:
		return ecma{}
	}
	return nil
}

// common is what most languages do.
type common struct{}

func (common) comment() string          { return "//" }
func (common) grouped(syntax.Kind) bool { return false }

func (common) written(_ *subject, _ *scan, s *syntax.Site, to string) (string, bool) {
	return to, !s.Dots
}

func (common) leave(*project, int32, *FileEdits)         {}
func (common) samePackage(*store.File, *store.File) bool { return false }
func (common) imports() bool                             { return true }
func (common) folder(module string) string               { return before(module, "/") }
func (common) words(*mentions) error                     { return nil }
func (common) hazards(*mentions) error                   { return nil }

func (common) special(*judge, *scan, *syntax.Site) (what ruling, why string, ok bool) {
	return other, "", false
}

func (common) property(*scan, *syntax.Site) bool          { return false }
func (common) literal(*subject, *scan, *syntax.Site) bool { return false }
func (common) passes(*subject, *scan) bool                { return false }
func (common) loads(*project, int32, string) []int32      { return nil }
func (common) opens(*subject, meaning.Value) bool         { return false }

// before is what stands before the first sep in a text, or all of it.
func before(text, sep string) string {
	text, _, _ = strings.Cut(text, sep)
	return text
}

// notNamed says why a text cannot be a name for its letters, of which a language has some more, or as one of its words.
func notNamed(name, more string, words map[string]bool) string {
	for i, c := range name {
		letter := c == '_' || unicode.IsLetter(c) || strings.ContainsRune(more, c)
		if !letter && (i == 0 || !unicode.IsDigit(c)) {
			return "is no name"
		}
	}
	switch {
	case name == "" || name == "_":
		return "is no name"
	case words[name]:
		return "is a word of the language"
	}
	return ""
}
