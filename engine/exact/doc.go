// Package exact settles what package code leaves open, by asking language servers that the machine has: what a
// reference means of which names alone say only what it may mean.
//
// A [Checker] starts a server when a question first needs it, keeps it warm, and ends it after a time without
// questions. Servers are found in PATH, never in the workspace. They run in the sandbox: they read the workspace and
// change nothing of it, keep their caches in a private directory that goes with them, and reach no network.
//
// Before them it asks the index that a compiler's indexer may have written into the workspace (index.scip), as far as
// the files are still those that it knows.
//
// Nothing that a server or an index says is trusted: messages, their number and the time for them are bounded, paths
// outside the workspace are places that nobody here knows, and package code believes a place only where it finds the
// name there. A server that fails three times is left alone.
package exact
