// Package change makes many changes of files as one: a [Set] of creations, replacements, deletions, modes and links is
// compared with what stands, prepared where nobody sees it, noted in a journal, and then put in place by renames. What
// was there before is kept in the transaction's folder until its owner has taken it.
//
// Nobody's work is lost by it. A path that somebody else changed meanwhile is refused with its unit, and told; what was
// to stand there is kept beside the journal. A process that is killed at any moment leaves a journal behind, and
// [Repair] finishes what it had begun, so that a unit is as before or as after, never between.
//
// It knows files, and in package check git's; it knows nothing of tools, agents or approvals.
//
// Paths in a set are relative to one of the transaction's roots, slash-separated, and may hold any byte but NUL. No
// symbolic link is followed on the way to one: every directory is opened name by name.
package change
