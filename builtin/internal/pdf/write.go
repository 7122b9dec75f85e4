package pdf

import (
	"bytes"
	"math"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// maxForms is how deep drawings may stand in drawings, maxStates how many states a program may save.
const (
	maxForms  = 8
	maxStates = 256
)

// A writer runs the programs of pages and writes down the text that they show. Nothing is drawn: of the graphics
// state it keeps what decides where a string stands, since gaps between strings are what lines and blanks are told
// by.
type writer struct {
	doc   *document
	room  int           // bytes of text that may still come
	steps int           // operators that may still be done
	fonts map[ref]*font // those that were read
	made  int           // how many there were, with those that have no number

	out      strings.Builder
	x, y     float64 // where the last character ended, in units of the page
	started  bool
	measured bool // the last string's width was known
}

// A matrix is [a b c d e f] as the format writes it: x is a·x + c·y + e, and y is b·x + d·y + f.
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

// times is m applied before n.
func (m matrix) times(n matrix) matrix {
	return matrix{m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3], m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5]}
}

// A state is what operators change.
type state struct {
	ctm              matrix  // from units of the program to those of the page
	font             *font   // nil before the first Tf
	size, lead       float64 // of the font; between two lines
	charGap, wordGap float64 // added behind a character; behind a blank as well
	scale            float64 // of widths, 1 for none
	text, line       matrix  // where the next character stands; where its line began
	stack            []saved // by q
	resources        dict    // what names in the program mean
	form             int     // how many drawings this one stands in
}

// saved is as much of a state as q keeps and text depends on.
type saved struct {
	ctm  matrix
	font *font
	size float64
}

// page is the text of one page, composed as people type it: a letter and the accent that is drawn over it are one
// character.
func (w *writer) page(p page) string {
	w.out.Reset()
	w.started = false
	w.run(w.doc.content(p.contents), &state{
		ctm:       identity,
		text:      identity,
		line:      identity,
		scale:     1,
		resources: w.doc.dict(p.resources),
	})
	s := tidy(norm.NFC.String(strings.ToValidUTF8(w.out.String(), "\ufffd")))
	w.room -= len(s)
	return s
}

// run does the operators of a program until its end, the bound on steps or text, or the end of the context.
func (w *writer) run(program []byte, s *state) {
	p := &parser{src: program}
	var args []any
	for p.at < len(program) && w.steps > 0 && w.out.Len() < w.room {
		v, ok := p.object()
		if !ok {
			continue
		}
		word, isOp := v.(op)
		if !isOp {
			args = append(args, v)
			if len(args) > 64 { // no operator that matters to text takes more than six
				args = args[32:]
			}
			continue
		}
		w.steps--
		if w.steps%10_000 == 0 && w.doc.ctx.Err() != nil {
			return
		}
		if word == "BI" {
			p.skipImage()
		} else {
			w.do(s, string(word), args)
		}
		args = args[:0]
	}
}

// skipImage passes a picture that stands in the program, up to an EI between blanks.
func (p *parser) skipImage() {
	for p.at < len(p.src) {
		i := bytes.Index(p.src[p.at:], []byte("EI"))
		if i < 0 {
			break
		}
		at := p.at + i // the two letters may also be two bytes of the picture
		p.at = at + 2
		if at > 0 && isSpace(p.src[at-1]) && (p.at >= len(p.src) || isSpace(p.src[p.at])) {
			return
		}
	}
	p.at = len(p.src)
}

// num is an operand counted from the end, 1 for the last; 0 for one that is missing or no number. Too few operands
// are a damaged file, whose text may still be read.
func num(args []any, fromEnd int) float64 {
	i := len(args) - fromEnd
	if i >= 0 && i < len(args) {
		n, _ := args[i].(float64)
		return n
	}
	return 0
}

// matrixOf is the matrix of the last six operands.
func matrixOf(args []any) matrix {
	var m matrix
	for i := range m {
		m[i] = num(args, 6-i)
	}
	return m
}

// do is one operator of text (ISO 32000, 9.3 and 9.4). Those that draw, and those that are not known, change nothing
// that matters to the text.
func (w *writer) do(s *state, word string, args []any) {
	switch word {
	case "BT": // a text begins at the origin
		s.text, s.line = identity, identity
	case "Td":
		s.move(num(args, 2), num(args, 1))
	case "TD":
		s.lead = -num(args, 1) // as TL would set it
		s.move(num(args, 2), num(args, 1))
	case "Tm":
		s.line = matrixOf(args)
		s.text = s.line
	case "T*":
		s.move(0, -s.lead)
	case "TL":
		s.lead = num(args, 1)
	case "Tc":
		s.charGap = num(args, 1) // behind every character
	case "Tw":
		s.wordGap = num(args, 1) // behind every blank of a simple font
	case "Tz":
		s.scale = num(args, 1) / 100 // it is given in percent
	case "Tf":
		w.setFont(s, args)
	case "Tj":
		w.show(s, args)
	case "'", "\"": // the second also sets gaps, which decide nothing within one string
		s.move(0, -s.lead)
		w.show(s, args)
	case "TJ":
		w.showAll(s, args)
	default:
		w.graphics(s, word, args)
	}
}

// graphics is one operator of the graphics state (8.4.4), or one that runs another drawing.
func (w *writer) graphics(s *state, word string, args []any) {
	switch word {
	case "cm":
		s.ctm = matrixOf(args).times(s.ctm)
	case "q":
		if len(s.stack) < maxStates { // beyond them Q restores an older state, in a file that never closed one
			s.stack = append(s.stack, saved{s.ctm, s.font, s.size})
		}
	case "Q":
		n := len(s.stack)
		if n > 0 {
			s.ctm, s.font, s.size = s.stack[n-1].ctm, s.stack[n-1].font, s.stack[n-1].size
			s.stack = s.stack[:n-1]
		}
	case "Do":
		w.form(s, args)
	}
}

// move begins a line, so far from the beginning of the one before.
func (s *state) move(x, y float64) {
	s.line = matrix{1, 0, 0, 1, x, y}.times(s.line)
	s.text = s.line
}

// setFont takes the font that the resources have under a name. Each is read once; more than maxFonts in one file
// leave the font as it is.
func (w *writer) setFont(s *state, args []any) {
	if len(args) < 2 {
		return
	}
	s.size = num(args, 1)
	n, _ := args[len(args)-2].(name)
	v := w.doc.dict(s.resources["Font"])[n]
	if w.fonts == nil {
		w.fonts = map[ref]*font{}
	}
	r, isRef := v.(ref)
	f := w.fonts[r]
	if isRef && f != nil {
		s.font = f
		return
	}
	w.made++
	if w.made > maxFonts {
		return
	}
	s.font = w.doc.font(v)
	if isRef { // a font that stands in the resources themselves has no name to remember it by
		w.fonts[r] = s.font
	}
}

// form runs a drawing that the page uses.
func (w *writer) form(s *state, args []any) {
	if len(args) == 0 || s.form >= maxForms {
		return
	}
	n, _ := args[len(args)-1].(name)
	x, ok := w.doc.resolve(w.doc.dict(s.resources["XObject"])[n]).(*stream)
	if !ok || x.dict["Subtype"] != name("Form") {
		return
	}
	inner := &state{
		ctm:       s.ctm,
		text:      identity,
		line:      identity,
		scale:     1,
		resources: s.resources,
		form:      s.form + 1,
	}
	if m, ok := w.doc.resolve(x.dict["Matrix"]).([]any); ok && len(m) == 6 {
		inner.ctm = matrixOf(m).times(s.ctm)
	}
	own := w.doc.dict(x.dict["Resources"])
	if own != nil {
		inner.resources = own
	}
	w.run(w.doc.decode(x), inner)
}

// showAll writes the strings of a list. Numbers between them move the next one to the left, in thousandths of the
// font's size.
func (w *writer) showAll(s *state, args []any) {
	if len(args) == 0 {
		return
	}
	list, _ := args[len(args)-1].([]any)
	for _, v := range list {
		switch v := v.(type) {
		case float64:
			s.text = matrix{1, 0, 0, 1, -v / 1000 * s.size * s.scale, 0}.times(s.text)
		case text:
			w.string(s, v)
		}
	}
}

// show writes the last operand, if that is a string.
func (w *writer) show(s *state, args []any) {
	if len(args) > 0 {
		t, ok := args[len(args)-1].(text)
		if ok {
			w.string(s, t)
		}
	}
}

// string writes one string, after what stands between it and the one before.
func (w *writer) string(s *state, t text) {
	if s.font == nil {
		s.font = w.doc.font(nil)
	}
	if len(t) == 0 {
		return
	}
	w.gap(s)
	w.measured = true
	for len(t) > 0 && w.out.Len() < w.room {
		char, code, rest := s.font.next(t)
		t = rest
		w.out.WriteString(char)
		width, known := s.font.advance(code)
		w.measured = w.measured && known
		step := width*s.size + s.charGap
		if code == ' ' && !s.font.wide {
			step += s.wordGap
		}
		s.text = matrix{1, 0, 0, 1, step * s.scale, 0}.times(s.text)
	}
	at := s.text.times(s.ctm)
	w.x, w.y, w.started = at[4], at[5], true
}

// gap writes a line end, or a blank, where the next string stands apart from the last.
func (w *writer) gap(s *state) {
	at := s.text.times(s.ctm)
	size := math.Abs(s.size) * math.Hypot(at[0], at[1])
	if !w.started || size == 0 || math.IsNaN(size) || math.IsInf(size, 0) {
		return
	}
	// In units of the font's size: lines are set 1.2 apart and a blank is 0.25 wide, kerning below 0.1. Far to the left
	// is the next column or line, also at the same height.
	down, right := math.Abs(at[5]-w.y), at[4]-w.x
	switch {
	case down > 1.9*size:
		w.out.WriteString("\n\n")
	case down > 0.5*size, right < -4*size:
		w.out.WriteByte('\n')
	case right > 0.18*size, !w.measured && right > 0.01*size:
		if !strings.HasSuffix(w.out.String(), " ") {
			w.out.WriteByte(' ')
		}
	}
}
