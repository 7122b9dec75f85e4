package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// netPath reports a path that bash itself takes for a connection.
func netPath(p string) bool {
	return strings.HasPrefix(p, "/dev/tcp/") || strings.HasPrefix(p, "/dev/udp/")
}

// redirections judges what commands read and write by <, > and their kin.
type redirections struct {
	*report
	access access
	words  *expander
}

// redirect judges one, of a script with this text: effects on paths, or on the network behind /dev/tcp.
func (x redirections) redirect(r *syntax.Redirect, script string) {
	if r.N != nil && strings.Trim(r.N.Value, "0123456789") != "" {
		x.ask(r.Pos(), "a redirection that sets the variable %s", r.N.Value)
	}
	if r.Hdoc != nil {
		x.hereDocument(r, script)
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return
	}
	if r.Word != nil {
		x.file(r, x.words.word(r.Word))
	}
}

// file judges a redirection from or to what a word names.
func (x redirections) file(r *syntax.Redirect, w word) {
	if w.known && netPath(w.text) {
		x.connection(r, w)
		return
	}
	switch r.Op {
	case syntax.DplIn, syntax.DplOut:
		x.duplicate(r, w)
	case syntax.RdrIn:
		why := x.access.readable(w)
		if why != "" {
			x.ask(r.Pos(), "reads %s", why)
		}
	default:
		x.writes(r, w)
	}
}

// duplicate judges >& and <&, with a number, a number and a minus, or a minus; anything else is a file.
func (x redirections) duplicate(r *syntax.Redirect, w word) {
	digits := strings.TrimSuffix(w.text, "-")
	if w.static && strings.Trim(digits, "0123456789") == "" {
		return
	}
	if option(w.text) {
		x.doubt("bash reads " + r.Op.String() + "- and a word after it") // <&-c closes, and c is a command
	}
	x.writes(r, w)
}

// connection judges a connection. What reads from one is asked about; what writes to one would leave no trace of where
// data went.
func (x redirections) connection(r *syntax.Redirect, w word) {
	host, _, _ := strings.Cut(w.text[len("/dev/tcp/"):], "/")
	x.effect(Net, host)
	if r.Op == syntax.RdrIn {
		x.ask(r.Pos(), "a connection to %s", host)
		return
	}
	const way = "use curl or nc, which can be asked about"
	x.catastrophe(r.Pos(), "sends data to %s past every network program: %s", host, way)
}

// writes judges what a redirection writes into.
func (x redirections) writes(r *syntax.Redirect, w word) {
	if w.static && w.text == "/dev/null" {
		return
	}
	why := x.access.writes(w)
	if why != "" {
		x.catastrophe(r.Pos(), "%s", why)
	}
	x.ask(r.Pos(), "writes %s", w.text)
}

// hereDocument meets a difference: for bash, lines that a backslash joins may make the end of the document.
func (x redirections) hereDocument(r *syntax.Redirect, script string) {
	from := int(r.Word.End().Offset())
	to := int(r.Hdoc.End().Offset())
	if from > to || to > len(script) {
		return
	}
	rest := script[from:to] // of its line, then the document
	if !strings.Contains(rest, "\\\n") {
		return
	}
	end := x.words.word(r.Word).text
	for line := range strings.Lines(strings.ReplaceAll(rest, "\\\n", "")) {
		line = strings.TrimRight(line, "\n")
		if strings.TrimLeft(line, "\t") == end {
			x.doubt("a here-document that a joined line may end")
			x.raise(Ask, 1, 1, "a here-document that may end earlier than it seems")
			x.a.barred = true
			return
		}
	}
}
