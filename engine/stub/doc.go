// Package stub writes tools as the functions that a script calls: their names, their parameters, and what they give
// back, in as few words as a model needs to call them right.
//
// A stub is Python's signature, shortened: what ends in ? can be left out, what has no type is a text.
//
//	grep(pattern, path?, context: int?, limit=100) -> {matches: [{path, line: int, text}], complete: bool}
package stub
