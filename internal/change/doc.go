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
//
// # How a set is made
//
// Each change becomes a step with a slot. The slot of what comes holds the new entry, ready with mode, owner and time;
// the slot of what goes is free. Then, in this order:
//
//  1. the units' locks are taken, and what stands is compared with what the set says should stand;
//  2. new entries are made in their slots: a full disk shows here, before anything can be seen;
//  3. the journal is written: the steps, with the number that the file system gave each entry;
//  4. every step is one rename, or an exchange of two names: slot and place change what they hold. What came into the
//     slot is looked at again, and goes back if somebody was quicker than the comparison;
//  5. the journal is renamed to say that everything was made.
//
// How far a step got needs no note of its own. It is made when its slot no longer holds the new entry, or holds the old
// one, and the entry's number tells which is which. So a repair reads the journal, looks into the slots, and goes on.
// Before step 3 there is nothing to repair, only to remove.
//
// Slots lie in the transaction's folder where a rename from there is possible. Elsewhere they lie near: in the root
// itself, for the moment, under a name that is noted before it is used.
//
// A directory that its owner may not write to is opened for the steps in it and closed by the last ones. Between the
// two its mode is wrong, and a repair closes it, too.
package change
