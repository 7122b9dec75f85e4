package meaning

import (
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// Rules are what a language means by a name that stands alone, by a receiver, a member, an override, an import, an
// export. Each family of languages has a file with its own. All else in this package asks them and knows no language:
// the zero Rules are those of one in which a name means what the scopes around it and the imports of its file say.
//
// How files hold what they define says syntax.Traits.
type Rules struct {
	Language syntax.Language

	// Names that stand alone.

	implicitThis   bool // members of the type around can be named
	bodyScope      bool // members of the type around can be named in its body, and not in its methods
	decorated      bool // what stands above a definition belongs to it and is looked up around it
	objectMethods  bool // methods of objects, {call(x) {…}}, cannot be named
	unbound        bool // a definition anywhere in the project can be named, without an import that says so
	enumerators    bool // members of an enumeration are found with what stands at the top of their file
	typeParameters bool // a capital letter that nothing defines is a type parameter
	keyed          bool // a name before a colon in a literal of a map is no member of the map
	// samePackage reports whether g is a file of the package of f, and what it defines can be named in f.
	samePackage func(f, g *store.File) bool
	// named is what else a name means in file n, before all scopes are looked through, and after.
	namedFirst, namedLast func(r *evaluator, y uint32, n int32) (Found, bool)

	// Members, receivers and types.

	outside       bool   // members may stand outside the body of their type
	partial       bool   // a type may have several bodies
	assigned      bool   // methods define fields by assigning to them
	holders       bool   // fields of others may hold a class under their own names
	untyped       bool   // a function need not say what it returns, nor a field its type
	typed         bool   // every value has a type that is written down: nothing is guessed
	functionTypes bool   // a value of a type may be a function that is called
	typeArguments bool   // what stands in brackets behind a function are type arguments
	indexed       string // the name of an index operator that types may have
	// beside reports whether members of a type of file f may stand in g; nil: in all files of the family.
	beside func(f, g *store.File) bool
	// common are methods of the language's own types: x.append says nothing of a class of the project when the type of
	// x is not known.
	common map[string]bool

	// Constructors, overrides and interfaces.

	constructors   map[string]bool // their names
	constructor    string          // the name by which one is found from its type
	ownConstructor bool            // a constructor has the name of its type
	implicit       bool            // a type implements an interface by having its methods
	promises       bool            // a property of an interface may be a method of what implements it
	fieldsOverride bool            // a field stands in the place of one of a base
	nameless       bool            // methods of classes without a name are known

	// Versions of one definition.

	overloads   bool // several functions of one name are told apart by their parameters
	signatures  bool // a function may have signatures beside the one with its body
	lastInBrace bool // a brace behind the brackets of a call opens a class, and is no argument
	bodyless    bool // a function without a body is no mere declaration
	onePlace    bool // what is declared has one place
	oneProgram  bool // a function's name is enough to find its body
	// private reports whether no other file can name d, which stands at the top of f.
	private func(f *store.File, d *store.Def) bool
	// sameSystem reports whether files of these paths may be built together; nil: all may.
	sameSystem func(a, b string) bool

	// What an edit may break.

	Checked      bool   // it is known well enough what a name means
	Declared     bool   // every name is declared or imported
	AnyArguments bool   // a function takes any number of arguments
	receiver     bool   // the first parameter of a method is its object
	marks        string // what parameters begin with that stand for others, or for none
	// Own reports whether a name has a meaning without a definition or an import; nil: none has.
	Own func(name string) bool
	// WouldStand reports whether a module that file f imports would stand in the tree, were it there.
	WouldStand func(s *store.Snapshot, f *store.File, module string) bool

	// Imports and exports.

	namesModules      bool // imports name modules, rather than files
	LastNames         bool // the last part of a module's absolute name is what its file is called
	onlyImports       bool // alone, a name of another package or file is one that an import binds
	importsPrivate    bool // what a file imports is for itself
	importsInside     bool // an import in a function binds a name there
	importsOutermost  bool // an import of a.b binds a
	importsMembers    bool // members of a type are imported
	importsNamespaces bool // an import may name a namespace, which no file is
	exportsWhole      bool // a file may export one thing as the whole of it
	// module finds the files of the module that an import in from names, guessModule those of one that nothing
	// declares.
	module, guessModule func(r *evaluator, name string, from *store.File) []int32
	// submodule finds the files of the module called name inside that of f.
	submodule func(r *evaluator, f *store.File, name string) []int32
	// exportedAs is what file n exports as y, otherwise than by the name of what it defines.
	exportedAs func(r *evaluator, y uint32, n int32) Value
}

// rulesTable are the rules of all languages that have some.
type rulesTable struct {
	list  []*Rules // where a module's name alone is asked for, they are asked in this order
	index [64]*Rules
}

// newTable has the rules of a list. Languages that are not in it have the zero ones.
func newTable(list ...*Rules) *rulesTable {
	t, none := &rulesTable{list: list}, &Rules{}
	for i := range t.index {
		t.index[i] = none
	}
	for _, rules := range list {
		t.index[rules.Language] = rules
	}
	return t
}

// of are the rules of a language.
func (t *rulesTable) of(l syntax.Language) *Rules { return t.index[int(l)%len(t.index)] }
