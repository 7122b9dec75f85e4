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

// A writer runs the programs of pages and writes down the text that they show.
type writer struct {
	doc   *document
	room  int
	steps int
	fonts map[ref]*font
	made  int

	out      strings.Builder
	x, y     float64 // where the last character ended
	started  bool
	measured bool // the last string's width was known
}

type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

// times is m applied before n.
func (m matrix) times(n matrix) matrix {
	return matrix{m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3], m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5]}
}

// A state is what operators change.
type state struct {
	ctm              matrix
	font             *font
	size, lead       float64
	charGap, wordGap float64
	scale            float64
	text, line       matrix
	stack            []saved
	resources        dict
	form             int
}

type saved struct {
	ctm  matrix
	font *font
	size float64
}

func (w *writer) page(p page) string {
	w.out.Reset()
	w.started = false
	w.run(w.doc.content(p.contents), &state{ctm: identity, text: identity, line: identity, scale: 1, resources: w.doc.dict(p.resources)})
	s := tidy(norm.NFC.String(strings.ToValidUTF8(w.out.String(), "\ufffd")))
	w.room -= len(s)
	return s
}

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
			if args = append(args, v); len(args) > 64 {
				args = args[32:]
			}
			continue
		}
		if w.steps--; w.steps%10_000 == 0 && w.doc.ctx.Err() != nil {
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
		at := p.at + i
		p.at = at + 2
		if at > 0 && isSpace(p.src[at-1]) && (p.at >= len(p.src) || isSpace(p.src[p.at])) {
			return
		}
	}
	p.at = len(p.src)
}

func num(args []any, fromEnd int) float64 {
	if i := len(args) - fromEnd; i >= 0 && i < len(args) {
		n, _ := args[i].(float64)
		return n
	}
	return 0
}

func matrixOf(args []any) matrix {
	var m matrix
	for i := range m {
		m[i] = num(args, 6-i)
	}
	return m
}

func (w *writer) do(s *state, word string, args []any) {
	switch word {
	case "BT":
		s.text, s.line = identity, identity
	case "Td":
		s.move(num(args, 2), num(args, 1))
	case "TD":
		s.lead = -num(args, 1)
		s.move(num(args, 2), num(args, 1))
	case "Tm":
		s.line = matrixOf(args)
		s.text = s.line
	case "T*":
		s.move(0, -s.lead)
	case "TL":
		s.lead = num(args, 1)
	case "Tc":
		s.charGap = num(args, 1)
	case "Tw":
		s.wordGap = num(args, 1)
	case "Tz":
		s.scale = num(args, 1) / 100
	case "Tf":
		w.setFont(s, args)
	case "Tj":
		w.show(s, args)
	case "'", "\"":
		s.move(0, -s.lead)
		w.show(s, args)
	case "TJ":
		w.showAll(s, args)
	default:
		w.graphics(s, word, args)
	}
}

func (w *writer) graphics(s *state, word string, args []any) {
	switch word {
	case "cm":
		s.ctm = matrixOf(args).times(s.ctm)
	case "q":
		if len(s.stack) < maxStates {
			s.stack = append(s.stack, saved{s.ctm, s.font, s.size})
		}
	case "Q":
		if n := len(s.stack); n > 0 {
			s.ctm, s.font, s.size = s.stack[n-1].ctm, s.stack[n-1].font, s.stack[n-1].size
			s.stack = s.stack[:n-1]
		}
	case "Do":
		w.form(s, args)
	}
}

func (s *state) move(x, y float64) {
	s.line = matrix{1, 0, 0, 1, x, y}.times(s.line)
	s.text = s.line
}

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
	if f := w.fonts[r]; isRef && f != nil {
		s.font = f
		return
	}
	if w.made++; w.made > maxFonts {
		return
	}
	s.font = w.doc.font(v)
	if isRef {
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
	inner := &state{ctm: s.ctm, text: identity, line: identity, scale: 1, resources: s.resources, form: s.form + 1}
	if m, ok := w.doc.resolve(x.dict["Matrix"]).([]any); ok && len(m) == 6 {
		inner.ctm = matrixOf(m).times(s.ctm)
	}
	if own := w.doc.dict(x.dict["Resources"]); own != nil {
		inner.resources = own
	}
	w.run(w.doc.decode(x), inner)
}

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

func (w *writer) show(s *state, args []any) {
	if len(args) > 0 {
		if t, ok := args[len(args)-1].(text); ok {
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
