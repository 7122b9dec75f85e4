package meaning

import "helve/engine/code/internal/syntax"

// swift are the rules of Swift.
var swift = Rules{
	Language: syntax.Swift,

	implicitThis:   true,
	unbound:        true,
	typeParameters: true,

	outside: true,
	partial: true,

	overloads: true,
}
