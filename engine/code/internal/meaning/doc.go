// Package meaning finds what references mean, from the names, scopes, imports and types that the files of a
// store.Snapshot declare. A Resolver does so for one question and remembers what it found; its Clock ends it. Every
// meaning has a Confidence, and where several definitions fit, all of them are answered, ranked.
//
// # Where to find what
//
// An evaluator (resolve.go, eval.go) says what a reference or an expression means. Its parts say what names mean that
// stand alone (scopes), behind a value or a type (members), in an import (modules), and behind a receiver of which
// nothing is known (narrowing). On it stand dispatch (what overrides and implements what), checking (what somebody knows
// who knows a language whole) and uses (who refers to a definition). A Resolver is all of them.
//
// None of these knows a language: they ask its Rules, which stand in a file of the language's name. known.go has the
// list of them.
package meaning
