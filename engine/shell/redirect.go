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
	if r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc || r.Op == syntax.WordHdoc || r.Word == nil {
		return
	}
	w := z.word(r.Word)
	if w.known && (strings.HasPrefix(w.text, "/dev/tcp/") || strings.HasPrefix(w.text, "/dev/udp/")) {
		z.netRedirect(r, w)
		return
	}
	switch r.Op {
	case syntax.DplIn, syntax.DplOut:
		if w.static && (w.text == "-" || strings.Trim(strings.TrimSuffix(w.text, "-"), "0123456789") == "") {
			return
		}
		if strings.HasPrefix(w.text, "-") {
			z.doubt("bash reads " + r.Op.String() + "- and a word after it") // <&-c closes, and c is a command
		}
		z.redirectWrite(r, w)
	case syntax.RdrIn:
		if why := z.readable(w); why != "" {
			z.ask(r.Pos(), "reads %s", why)
		}
	default:
		z.redirectWrite(r, w)
	}
}

func (z *analyzer) netRedirect(r *syntax.Redirect, w word) {
	host, _, _ := strings.Cut(w.text[len("/dev/tcp/"):], "/")
	z.effect(Net, host)
	if r.Op == syntax.RdrIn {
		z.ask(r.Pos(), "a connection to %s", host)
		return
	}
	z.catastrophe(r.Pos(), "sends data to %s past every network program: use curl or nc, which can be asked about", host)
}

func (z *analyzer) redirectWrite(r *syntax.Redirect, w word) {
	if w.static && w.text == "/dev/null" {
		return
	}
	if why := z.writes(w); why != "" {
		z.catastrophe(r.Pos(), "%s", why)
	}
	z.ask(r.Pos(), "writes %s", w.text)
}

// writes notes a write effect and returns why it would be a catastrophe, or "".
func (z *analyzer) writes(w word) string {
	if w.home {
		z.effect(Write, w.text)
		return ""
	}
	if !w.known || w.text == "" {
		z.effect(Write, "*")
		return ""
	}
	for _, p := range z.resolve(w.text) {
		z.effect(Write, z.target(p))
		switch {
		case devicePath(p):
			return "writes to the device " + p
		case vitalFile(p):
			return "overwrites " + p + ", which the system needs"
		case z.protected(p):
			return "writes " + w.text + ", which configures what an agent may do"
		}
	}
	return ""
}

func (z *analyzer) protected(p string) bool {
	for _, q := range z.o.Protected {
		if strings.HasPrefix(q, "/") && under(p, q) || !strings.HasPrefix(q, "/") && strings.Contains(p+"/", "/"+q+"/") {
			return true
		}
	}
	return false
}

// readsScript reports a shell without a script of its own: it runs what it reads.
func (z *analyzer) readsScript(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	for i, x := range call.Args {
		w := z.t.wrappers[z.word(x).text]
		if w != nil && w.mode == "shell" {
			return !strings.Contains(z.word(call.Args[len(call.Args)-1]).text, "c") || i == len(call.Args)-1
		}
	}
	return false
}

// hereDocument meets a difference: for bash, lines that a backslash joins may make the end of the document.
func (z *analyzer) hereDocument(r *syntax.Redirect) {
	from, to := int(r.Word.End().Offset()), int(r.Hdoc.End().Offset()) // the rest of its line, then the document
	if from > to || to > len(z.text) || !strings.Contains(z.text[from:to], "\\\n") {
		return
	}
	end := z.word(r.Word).text
	for line := range strings.Lines(strings.ReplaceAll(z.text[from:to], "\\\n", "")) {
		if strings.TrimLeft(strings.TrimRight(line, "\n"), "\t") == end {
			z.doubt("a here-document that a joined line may end")
			z.raise(Ask, 1, 1, "a here-document that may end earlier than it seems")
			z.a.barred = true
			return
		}
	}
}
