// Package draft holds changes beside a tree until somebody says yes to all of them. A [Draft] lies over the folders of
// a workspace, or over another draft: what is read through it is what was changed in it, and the tree below where
// nothing was. [Draft.Plan] is the set that makes the tree what the draft shows; a commit makes it as one, or nothing of it.
//
// A draft is a folder of whole new entries, at the paths that they will have, and a list of the places that it changes.
// For each place it knows what stood there when it was first changed: what the draft relied upon. Somebody who changes
// such a file meanwhile wins. Where both are texts, and the changed lines do not touch, a commit makes both changes;
// else it makes nothing, and says which files both changed.
//
// It knows files; it knows nothing of tools, agents or approvals.
//
// No symbolic link is followed: places are resolved before they come here.
package draft
