package meaning

import "helve/engine/code/internal/syntax"

// cSharp are the rules of C#.
var cSharp = Rules{
	Language: syntax.CSharp,

	implicitThis:   true,
	unbound:        true,
	typeParameters: true,
	samePackage:    sameDeclared,

	outside: true,
	partial: true,
	common:  objectMembers,

	overloads: true,

	namesModules:   true,
	importsPrivate: true,
	module:         declaredPackage,
}
