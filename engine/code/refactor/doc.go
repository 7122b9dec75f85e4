// Package refactor plans changes of code that keep its meaning: another name for a definition, another file, other
// parameters, or none of it any more, and whatever uses it in step. It reads a code.Snapshot and writes nothing:
// Changes are all edits, to be made together or not at all.
//
// Nothing is guessed. Every place that has the name is ruled on, and one of which nobody can say what it means is a
// reason to refuse, with its line: a RefusedError. Who changes code has to know all that may be meant, so the resolver
// leaves nothing out for being unlikely.
//
// A plan goes one way, from mentions by rulings to edits:
//
//	project    the code that is read: names, imports, values
//	subject    the definition that is asked for, and what has to be treated like it
//	mentions   the places that have its name
//	judge      what each of them means; a checker settles what names do not explain
//	rename, move, signing, deletion    the edits of what is meant
//
// An operation has the subject and the judge as its parts, and says its steps (plan.go). What a language adds stands
// behind the interface language: golang, python and ecma, of which the last two share importing. Each says of a move
// what its steps are, and of a signature how lists are read and written. A new language is one more value of it.
package refactor
