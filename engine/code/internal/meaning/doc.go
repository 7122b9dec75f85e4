// Package meaning finds what references mean, from the names, scopes, imports and types that the files of a
// store.Snapshot declare. A Resolver does so for one question and remembers what it found; its Clock ends it. Every
// meaning has a Confidence, and where several definitions fit, all of them are answered, ranked.
package meaning
