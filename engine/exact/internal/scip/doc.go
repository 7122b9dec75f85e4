// Package scip reads what a compiler's indexer wrote of a project, in the format SCIP (https://scip-code.org): which
// names in which files mean which symbols. Of the format only that is read.
//
// An index comes from somewhere else: nothing of it is trusted. Its size is bounded, and [Document.Agrees] tells
// whether a file is still the one of which it speaks.
package scip
