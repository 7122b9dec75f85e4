package meaning

import (
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// java are the rules of Java.
var java = Rules{
	Language: syntax.Java,

	implicitThis:   true,
	typeParameters: true,
	samePackage:    sameDeclared,

	common: objectMembers,

	nameless: true,

	overloads:   true,
	lastInBrace: true,

	namesModules:   true,
	importsPrivate: true,
	importsMembers: true,
	module:         declaredPackage,
}

// kotlin are the rules of Kotlin.
var kotlin = Rules{
	Language: syntax.Kotlin,

	implicitThis:   true,
	typeParameters: true,
	samePackage:    sameDeclared,

	outside: true,
	common:  objectMembers,

	nameless: true,

	overloads: true,

	namesModules:   true,
	importsPrivate: true,
	importsMembers: true,
	module:         declaredPackage,
}

// objectMembers are methods that most objects have, or lists and texts, in Java, Kotlin and C#.
var objectMembers = WordSet("toString equals hashCode getClass length size isEmpty get set put add remove contains " +
	"containsKey values keySet entrySet iterator stream map filter collect forEach append charAt substring split " +
	"trim indexOf format getName close Add Remove Contains Count ToString Equals GetHashCode GetType Where Select " +
	"ToList First Any")

// sameDeclared reports whether two files declare the same package.
func sameDeclared(f, g *store.File) bool {
	return store.Family(g.Lang) == store.Family(f.Lang) && g.Package == f.Package
}

// declaredPackage finds the files that declare a package or namespace.
func declaredPackage(r *evaluator, name string, from *store.File) []int32 {
	y, ok := r.Tree.Lex.Find(name)
	if !ok {
		return nil
	}
	return r.Tree.Placed(store.NumberedPlace(y), func(f *store.File) bool {
		return f.Package == y && store.Family(f.Lang) == store.Family(from.Lang)
	})
}
