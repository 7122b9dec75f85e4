// Package history remembers what calls did to the files of a workspace, so that it can be undone: by
// edits, and by commands with all that they did. Files stand in a store by the digest of their
// content, once each; a journal holds the calls in the order in which they came.
//
// # A call
//
// Begin takes the store for one call. Add keeps what stood at a path and what is to stand there.
// Commit writes the call into the journal, before anything of it can be seen; then the caller makes
// the change; Done says what of it was refused. A process that ends between the two leaves a call that
// is neither: the next one to take the store looks at the files and finds out.
//
// # Undo
//
// A plan goes through the calls that are to be undone, the newest first, and asks of each path: does
// it stand as the call left it? Then it gets back what stood there before. If somebody changed it
// since, and it is text, and the changes do not touch, both hold. Else it is a conflict, and the path
// is left alone. What a plan does is a call like any other: it stands in the journal and can be
// undone, which is how redo works.
//
// The store is private to the user. It knows files and calls; it knows nothing of tools, policies or
// models.
package history
