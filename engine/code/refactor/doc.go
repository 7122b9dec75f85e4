// Package refactor plans changes of code that keep its meaning: another name for a definition, another file, other
// parameters, or none of it any more, and whatever uses it in step. It reads a code.Snapshot and writes nothing:
// Changes are all edits, to be made together or not at all.
//
// Nothing is guessed. Every place that has the name is ruled on, and one of which nobody can say what it means is a
// reason to refuse, with its line: a RefusedError. Who changes code has to know all that may be meant, so the resolver
// leaves nothing out for being unlikely.
package refactor
