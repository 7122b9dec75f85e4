package search

import (
	"errors"
	"fmt"

	"helve/engine/tree"
)

// Query is one search for text. Its zero value but for Patterns is what `rg PATTERN` does, in no particular order.
type Query struct {
	// Patterns are regular expressions in the syntax of RE2, with \w \d \s \b as Unicode has them. A line is found if
	// one of them matches.
	Patterns   []string
	Fixed      bool // patterns are text
	IgnoreCase bool
	SmartCase  bool // ignore case if no pattern has an upper-case letter
	Word       bool // only where there is no word character before or after the match
	WholeLine  bool // only lines that match from end to end; then Word says nothing more
	Invert     bool // lines that do not match
	Multiline  bool // a match may extend over lines; \s and [^x] then match line ends, the dot does not

	Before, After int // lines of context

	// Paths are where to search, relative to the root: directories, or files, which no rule hides. None: everything.
	Paths []string

	Globs           []string               // only these files, even hidden ones, as rg -g (! for: not these)
	Include         []string               // only these of the visible files
	Types, TypesNot []string               // file types (tree.TypeNames)
	NoIgnore        bool                   // ignore rules do not count
	Hidden          bool                   // also names that begin with a dot
	Skip            []string               // directories never entered, such as node_modules
	Without         func(path string) bool // files that are never read, by path; see tree.FilterSpec

	Mode    Mode
	Sort    Sort
	Limit   int  // stop after so many lines (files in the modes Files and Count); 0: no limit
	Offset  int  // leave out the first lines (files); meaningful with a Sort
	PerFile int  // stop in a file after so many lines; 0: no limit
	Parts   bool // report each match instead of its line, with its column
	Explain bool // count what rules hide when nothing is found, not only when nothing was searched; bounded in time
	NoIndex bool // read the files even if there is an index
	Columns bool // fill Line.Column; costs time where a pattern is no plain text
	MaxText int  // cut longer lines to so many bytes; 0: never
}

// Mode says what is reported.
type Mode uint8

const (
	Lines Mode = iota // every line found
	Files             // the files that have one
	Count             // how many each file has; with Query.Parts how many matches
)

// Sort is the order of the files. Lines within a file are always in order.
type Sort uint8

const (
	Unsorted Sort = iota // as they are found: the fastest when all matches are wanted
	ByPath
	Newest // last changed first, the path breaks ties
)

// File is what was found in one file. It is valid until the callback returns.
type File struct {
	Path  string // slash-separated, relative to the root
	Lines []Line // in mode Lines
	Count int    // lines found in this part; in mode Count with Query.Parts matches
	More  bool   // another part of the same file follows
}

// Line is one line found, or one of its context.
type Line struct {
	Number  int    // from 1
	Offset  int64  // where it begins in the file
	Column  int    // byte, from 1, where the first match begins; 0 without Query.Columns
	Text    []byte // without the line end; a \r before that stays
	Context bool
	Cut     bool // by Query.MaxText
}

// Summary is what a search amounts to.
type Summary struct {
	Files    int     // files with a match
	Lines    int     // lines found
	Searched int     // files looked at or ruled out by the index, or all of a resident tree; 0 explains an empty answer
	Binary   int     // files left out because they hold a NUL near the beginning where they match
	Capped   bool    // stopped at Query.Limit: there may be more
	Partial  bool    // stopped at the context's deadline: there may be more
	Indexed  bool    // an index was used
	Failed   []error // files and directories that could not be read, the first hundred
	Failures int     // how many there were

	// Hidden says what hides files, as far as there was time to count. It is filled when no file was searched, or, with
	// Query.Explain, when nothing was found.
	Hidden     []tree.Hidden
	HiddenMore bool // Hidden was not counted to the end: it says how many there are at least
}

const (
	maxFailed  = 100       // errors kept: enough to see what is wrong
	maxContext = 10_000    // lines of context on a side: more is reading the file
	maxPaths   = 10_000    // starting points in one query
	maxLine    = 256 << 20 // bytes of one line that are kept in memory; longer ones are searched in pieces
)

// check refuses what no search can mean, before anything is read.
func (q *Query) check() error {
	context := min(q.Before, q.After) >= 0 && max(q.Before, q.After) <= maxContext
	switch {
	case !context:
		return fmt.Errorf("search: context of %d and %d lines: between 0 and %d", q.Before, q.After, maxContext)
	case min(q.Limit, q.Offset, q.MaxText, q.PerFile) < 0:
		return errors.New("search: limit, offset, lines per file and maximum of text must not be negative")
	case q.Parts && (q.Multiline || q.Invert):
		return errors.New("search: matches alone are not reported of lines that do not match, nor across lines")
	case q.Multiline && q.Invert:
		return errors.New("search: multiline and invert exclude each other: " +
			"there is no such thing as a line that a match of several does not match")
	case len(q.Paths) > maxPaths:
		return fmt.Errorf("search: %d paths: at most %d", len(q.Paths), maxPaths)
	}
	return nil
}

// grouped reports whether lines carry context.
func (q *Query) grouped() bool { return q.Mode == Lines && (q.Before > 0 || q.After > 0) }
