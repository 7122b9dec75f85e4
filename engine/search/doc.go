// Package search finds text and files in a working tree, as fast as the disk's cache can be read or, with an index,
// faster.
//
// Grep reads the files of a tree.Tree in parallel. A planner looks into the pattern for literals that every match
// holds and searches for the rarest of them, 32 bytes at a time where the processor can; only lines that hold it are
// matched. Without a literal the whole text goes through a deterministic automaton that is built as the text needs
// it. With an index of trigrams, in a cache directory that the caller names, most files are not read at all. What is
// reported is always found in the file itself, never in the index.
//
// Glob finds files by name. Print is Grep for a terminal: it writes what it finds as text.
//
// # How a line is found
//
// For each file the cheapest test that can dismiss it comes first:
//
//   - plan: what an index says, if there is one; most files are never opened
//   - finder: the rarest literals of the pattern, two bytes of them at a time
//   - dfa: whether a line matches, a byte at a time
//   - vm: where a match begins and ends, and what the automaton could not decide
//
// # Patterns
//
// Patterns have Go's syntax (RE2), matched line by line unless Query.Multiline. \w, \d, \s, \b and case follow
// Unicode, as ripgrep's do. A byte that is not UTF-8 is matched by nothing but is no obstacle either.
//
// # Where ripgrep differs
//
//   - Look-around and backreferences are errors with a hint, without ripgrep's -P.
//   - \B next to bytes that are not UTF-8 does not hold.
//   - {a,b} in an ignore file stands for itself, as in git; in globs it means a or b.
//   - A file with a NUL in its first 64 KB is skipped even if an empty match comes before it; after a NUL that comes
//     later the rest is not searched, in every mode.
//   - Text in UTF-16 is known by its byte order mark, as in ripgrep; there is no -E for other encodings. Offsets are
//     those of the text as UTF-8.
//   - Multi-line counts are lines, not matches.
//   - Sorted by path means by its bytes: a-b/x comes before a/x; ripgrep compares name by name.
//   - Behind a last line without an end, ripgrep prints the whole line for an empty match with -o; here it is an empty one.
//   - Words of the syntax that only Rust knows, such as (?x) and [a&&b], are errors.
//
// # The index
//
// An index is a few files that never change: one of everything, and small ones of what changed since. Each page has a
// checksum, each file of the tree its size, times and inode; a file that does not have these any more is read. A
// segment that is damaged or of another version is deleted and built anew. Files changed within two tenths of a
// second of being indexed, and files above 64 MB, stay out and are always read.
package search
