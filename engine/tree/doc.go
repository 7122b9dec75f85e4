// Package tree knows the files of a working tree: which there are, which of them ignore rules hide, and which changed.
//
// Walk reads a tree once, in parallel, and calls back for every directory. A Tree answers with a [Snapshot], the
// table of all visible files. At makes a Tree for one question; a [Set] makes ones that stay fresh in a resident
// process: they listen to the kernel where they can and compare times of change where they cannot.
//
// # Ignore rules
//
// The rules are those of git as ripgrep applies them to a working tree. In every directory, strongest first:
// .rgignore, .ignore, .gitignore, then the repository's info/exclude and the person's own list
// (Options.GlobalIgnore). Within one kind the nearest directory wins, within one file the last line. Rules of git
// count only inside a git work tree and end at its top; a nested repository does not inherit from the outer one.
// Names that begin with a dot are hidden, unless a rule with ! shows them. Symbolic links are never followed, and
// what is neither file nor directory is never listed.
//
// Paths are slash-separated, relative to the root, and bytes as the file system has them: they need not be UTF-8.
//
// # What costs what
//
// A walk's time is that of the system's calls: one to open a directory, one or two to list it, one to close it, and one
// for each file if Options.Stat asks for more than names. Rules are looked up, not tried one by one, so their number
// hardly counts. A Listing of an earlier walk (Options.Known) saves the reading of directories that did not change.
package tree
