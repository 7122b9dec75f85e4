// Package check tells which changes of a set are dangerous: those by which a program that a person, an editor or a
// prompt runs later would run something that the set brought. It finds
//
//   - what git runs: hooks, and configuration whose keys are not known to be harmless, in git directories at any depth,
//     also in those that a pointer (.git as a file or a link, commondir, a submodule's entry in the index) makes count;
//   - files by which editors, agents and shells are configured, and files that git's configuration names as programs;
//   - set-user-ID and set-group-ID bits, and devices.
//
// Git's files are judged by their content, so that what git itself does with them (init, clone, commit, worktree,
// submodule, rebase) passes unchanged. The lists are data: gitkeys.txt, and that
// of package later.
//
// What the package finds is for its caller to hold back. It changes nothing but, when a set was made, what git's index
// knows of the times of files ([Freshen]).
package check
