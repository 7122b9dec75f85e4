// Package tree knows the files of a working tree: which there are, which of them ignore rules hide, and which changed.
//
// Walk reads a tree once, in parallel, and calls back for every directory. A Tree, shared through a Set, keeps the
// same table fresh in a resident process: it listens to the kernel where it can and compares times of change where it
// cannot.
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
package tree
