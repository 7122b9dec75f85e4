// Package code knows what a working tree defines and what uses what. It answers where a symbol stands, what it
// depends on, what depends on it, and what a change may touch.
//
// An Index reads every file once, with package syntax, and keeps a few bytes for each definition and each reference;
// a Snapshot is one immutable state of it and answers questions. References are resolved when a question needs them,
// from the names, scopes, imports and types that the files declare; every edge carries a Confidence. Nothing is
// chosen silently: where several definitions fit, all of them are answered, ranked.
//
// A definition is named by its ID, "path#Type.method". Text is always read from disk and compared with the digest of
// what was indexed before anything is cut from it.
package code
