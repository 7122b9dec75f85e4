// Package uncommitted keeps changes of files that were not made: each [Draft] beside the tree, with what its files were
// made from and the call that made them, until somebody makes it, drops it, or a week has passed.
//
// It knows files and nothing of tools, agents or approvals. Who writes a draft adds its files to a [Writer] and keeps
// it: it is there whole, or not at all, whatever is killed meanwhile. Who decides takes it ([Store.Take]), so that
// nobody else does so at the same time, asks for the set that would make it on the files as they are by now ([Taken.Set]),
// and says what became of each file ([Taken.Mark]). What somebody else changed since is a [Conflict], and never part of
// a set.
//
// A draft has a folder below the store's, named by its ID: draft.json says all of it but the contents, which lie beside
// it. A file that was being made when its helve was killed is made or open, as what stands there tells.
package uncommitted
