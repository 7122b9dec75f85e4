// Package store keeps what the files of a tree define and refer to: an Index reads every file once and packs a few
// bytes for each definition and each reference, a Snapshot is one immutable state of it. It knows names and places
// and nothing of what they mean: package meaning does.
//
// A DefID is a definition, the number of its file and its place there; a name is a number of the Lexicon. Rows are
// unpacked when somebody asks for them, and the index of a tree is kept on disk between runs.
package store
