package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirect judges <, > and their kin: effects on paths, or on the network behind /dev/tcp.
func (z *analyzer) redirect(r *syntax.Redirect) {
	if r.N != nil && strings.Trim(r.N.Value, "0123456789") != "" {
		z.ask(r.Pos(), "a redirection that sets the variable %s", r.N.Value)
	}
	if r.Hdoc != nil {
		z.hereDocument(r)
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return
	}
	if r.Word == nil {
		return
	}
	w := z.words.word(r.Word)
	if w.known && netPath(w.text) {
		z.netRedirect(r, w)
		return
	}
	switch r.Op {
	case syntax.DplIn, syntax.DplOut:
		z.duplicate(r, w)
	case syntax.RdrIn:
		why := z.access.readable(w)
		if why != "" {
			z.ask(r.Pos(), "reads %s", why)
		}
	default:
		z.redirectWrite(r, w)
	}
}

// netPath reports a path that bash itself takes for a connection.
func netPath(p string) bool {
	return strings.HasPrefix(p, "/dev/tcp/") || strings.HasPrefix(p, "/dev/udp/")
}

// duplicate judges >& and <&, with a number, a number and a minus, or a minus; anything else is a file.
func (z *analyzer) duplicate(r *syntax.Redirect, w word) {
	digits := strings.TrimSuffix(w.text, "-")
	if w.static && strings.Trim(digits, "0123456789") == "" {
		return
	}
	if option(w.text) {
		z.doubt("bash reads " + r.Op.String() + "- and a word after it") // <&-c closes, and c is a command
	}
	z.redirectWrite(r, w)
}

// netRedirect judges a connection. What reads from one is asked about; what writes to one would leave no trace of where
// data went.
func (z *analyzer) netRedirect(r *syntax.Redirect, w word) {
	host, _, _ := strings.Cut(w.text[len("/dev/tcp/"):], "/")
	z.effect(Net, host)
	if r.Op == syntax.RdrIn {
		z.ask(r.Pos(), "a connection to %s", host)
		return
	}
	const way = "use curl or nc, which can be asked about"
	z.catastrophe(r.Pos(), "sends data to %s past every network program: %s", host, way)
}

// redirectWrite judges what a redirection writes into.
func (z *analyzer) redirectWrite(r *syntax.Redirect, w word) {
	if w.static && w.text == "/dev/null" {
		return
	}
	why := z.access.writes(w)
	if why != "" {
		z.catastrophe(r.Pos(), "%s", why)
	}
	z.ask(r.Pos(), "writes %s", w.text)
}

// hereDocument meets a difference: for bash, lines that a backslash joins may make the end of the document.
func (z *analyzer) hereDocument(r *syntax.Redirect) {
	from := int(r.Word.End().Offset())
	to := int(r.Hdoc.End().Offset())
	if from > to || to > len(z.text) {
		return
	}
	rest := z.text[from:to] // of its line, then the document
	if !strings.Contains(rest, "\\\n") {
		return
	}
	end := z.words.word(r.Word).text
	for line := range strings.Lines(strings.ReplaceAll(rest, "\\\n", "")) {
		line = strings.TrimRight(line, "\n")
		if strings.TrimLeft(line, "\t") == end {
			z.doubt("a here-document that a joined line may end")
			z.raise(Ask, 1, 1, "a here-document that may end earlier than it seems")
			z.a.barred = true
			return
		}
	}
}
