package code

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"helve/engine/code/internal/syntax"
)

// This file tells calls of overloads apart by the number of their arguments. An index knows no arguments: they are
// counted in the text, when somebody asks for one of several overloads.

const (
	// maxCountedFiles bounds the files that are read to count arguments.
	maxCountedFiles = 200
	// maxCallText bounds the text of one call's arguments, in bytes.
	maxCallText = 4 << 10
)

// accepted are the numbers of arguments that an overload takes.
type accepted struct{ least, most int }

// takes reports whether so many arguments fit.
func (a accepted) takes(count int) bool { return a.least <= count && count <= a.most }

// String is "2", "1 to 3" or "1 or more".
func (a accepted) String() string {
	switch {
	case a.least == a.most:
		return strconv.Itoa(a.least)
	case a.most == math.MaxInt32:
		return strconv.Itoa(a.least) + " or more"
	}
	return fmt.Sprintf("%d to %d", a.least, a.most)
}

// overload is one of several overloads of a function, and what is needed to tell calls of it from calls of the others.
type overload struct {
	r        *resolver
	chosen   symbol
	accepts  map[symbol]accepted // by each of the overloads
	complete bool                // accepts knows all of them
	texts    map[int32][][]byte  // the lines of files that were read
}

// overloads reports whether a language has several functions of one name that their parameters tell apart.
func overloads(l syntax.Language) bool {
	switch l {
	case syntax.Java, syntax.CSharp, syntax.CPlusPlus, syntax.Kotlin, syntax.Swift:
		return true
	}
	return false
}

// whole are the definitions of group, and all versions of one that was asked for alone and is not told apart from them: a
// reference that means one may lead to another.
func (r *resolver) whole(group []symbol) []symbol {
	if r.chosen != nil {
		return group
	}
	same := r.s.versions(group[0])
	for i := range r.defsOf(group[0].file) {
		v := symbol{group[0].file, int32(i)}
		if same(v) && !slices.Contains(group, v) && len(group) < maxTargets {
			group = append(group, v)
		}
	}
	return group
}

// signatures are y and, where it is a signature that stands beside the body of its function, all others of that function:
// who calls one of them calls the function. Only JavaScript's languages have such signatures.
func (r *resolver) signatures(y symbol) []symbol {
	group := []symbol{y}
	d := r.def(y)
	if family(r.s.files[y.file].lang) != syntax.JavaScript || !d.kind.Callable() || d.body < d.end {
		return group
	}
	return r.whole(group)
}

// overload looks at the others beside y; nil where there are none.
func (r *resolver) overload(y symbol) *overload {
	s := r.s
	if !overloads(s.files[y.file].lang) || !r.callable(y) {
		return nil
	}
	o := &overload{r: r, chosen: y, accepts: map[symbol]accepted{}, complete: true, texts: map[int32][][]byte{}}
	name, id := s.def(y).name, s.qualified(y)
	defs := r.defsOf(y.file)
	for i := range defs {
		v := symbol{y.file, int32(i)}
		if defs[i].name != name || !defs[i].kind.Callable() || s.qualified(v) != id {
			continue
		}
		a, ok := o.parameters(v)
		o.accepts[v] = a
		o.complete = o.complete && ok
	}
	if len(o.accepts) < 2 {
		return nil
	}
	return o
}

// settle is how sure it is that the reference u in file n, which means one of the overloads and names it name, means
// the chosen one; false: it cannot.
func (o *overload) settle(n int32, u *ref, name string, sure Confidence) (Confidence, bool) {
	any := sure.worse(Confidence{Level: Ambiguous, Of: len(o.accepts)})
	if !o.complete || u.use != syntax.Call {
		return any, true
	}
	count, ok := o.arguments(n, int(u.line), name)
	if !ok {
		return any, true
	}
	fitting := 0
	for _, a := range o.accepts {
		if a.least <= count && count <= a.most {
			fitting++
		}
	}
	mine := o.accepts[o.chosen]
	switch {
	case fitting == 0:
		return any, true
	case count < mine.least || count > mine.most:
		return Confidence{}, false
	case fitting == 1:
		return sure, true
	}
	return sure.worse(Confidence{Level: Ambiguous, Of: fitting}), true
}

// arguments counts those of the call of name on a line of file n; false where the line does not say.
func (o *overload) arguments(n int32, line int, name string) (int, bool) {
	lines, ok := o.texts[n]
	if !ok {
		if len(o.texts) >= maxCountedFiles || o.r.clock.look() {
			return 0, false
		}
		src, err := o.r.s.text(o.r.clock.ctx, o.r.s.files[n].Path)
		if err == nil && digest(src) == o.r.s.files[n].digest {
			lines = bytes.SplitAfter(src, []byte("\n"))
		}
		o.texts[n] = lines
	}
	if line < 1 || line > len(lines) {
		return 0, false
	}
	first := lines[line-1]
	text := first
	for k := line; k < len(lines) && len(text) < maxCallText; k++ {
		text = append(text[:len(text):len(text)], lines[k]...)
	}
	count, known := 0, false
	bare := withoutTexts(first)
	for at := 0; at < len(first); {
		i := callOf(bare[at:], name)
		if i < 0 {
			break
		}
		at += i
		list, end := separated(text[at:])
		trailing := bytes.HasPrefix(bytes.TrimLeft(text[min(at+end, len(text)):], " \t"), []byte("{"))
		if end == 0 || known && count != len(list) || trailing && o.r.s.files[n].lang != syntax.Java {
			return 0, false // calls of several numbers, or a last argument behind the brackets
		}
		count, known = len(list), true
	}
	return count, known
}

// callOf is the offset of the bracket that opens the arguments of a call of name, or -1.
func callOf(text []byte, name string) int {
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte(name))
		if i < 0 {
			return -1
		}
		from := at + i
		at = from + len(name)
		if from > 0 && isNameByte(text[from-1]) {
			continue
		}
		k := at
		k += typeArguments(text[k:])
		for k < len(text) && (text[k] == ' ' || text[k] == '\t') {
			k++
		}
		if k < len(text) && text[k] == '(' {
			return k
		}
	}
}

func isNameByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// typeArguments is the length of those behind a name, <K, List<V>>: their commas separate no arguments of the call. 0: none
// stand there.
func typeArguments(text []byte) int {
	depth := 0
	for i, c := range text[:min(len(text), maxCallText)] {
		switch {
		case c == '<':
			depth++
		case c == '>' && depth > 0:
			if depth--; depth == 0 {
				return i + 1
			}
		case depth == 0 || !isNameByte(c) && !bytes.ContainsRune([]byte(" \t\r\n,.?[]&:*"), rune(c)):
			return 0
		}
	}
	return 0
}

// separated are what commas separate in the brackets at the start of text, and where these end; 0: nowhere.
func separated(text []byte) (list [][]byte, end int) {
	depth, from := 0, 1
	for i := 0; i < len(text) && i < maxCallText; i++ {
		switch c := text[i]; c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth > 0 {
				continue
			}
			if last := bytes.TrimSpace(text[from:i]); len(last) > 0 { // nothing stands behind a comma at the end
				list = append(list, last)
			}
			return list, i + 1
		case ',':
			if depth == 1 {
				list = append(list, bytes.TrimSpace(text[from:i]))
				from = i + 1
			}
		case '/':
			i = max(i, commentEnd(text, i)-1)
		case '"', '\'':
			i = quoteEnd(text, i)
		case '<':
			if i > 0 && (isNameByte(text[i-1]) || text[i-1] == '.') {
				i += max(0, typeArguments(text[i:])-1)
			}
		}
	}
	return nil, 0
}

// withoutTexts is text with blanks in the place of comments and of what stands in quotes: they call nothing.
func withoutTexts(text []byte) []byte {
	out := bytes.Clone(text)
	for i := 0; i < len(out); i++ {
		end := i
		switch out[i] {
		case '/':
			end = commentEnd(out, i)
		case '"', '\'':
			end = min(quoteEnd(out, i)+1, len(out))
		}
		for ; i < end-1; i++ {
			out[i] = ' '
		}
	}
	return out
}

// quoteEnd is the offset of the mark that closes the text in quotes at i, or of the end of its line.
func quoteEnd(text []byte, i int) int {
	quote := text[i]
	for i++; i < len(text) && text[i] != quote && text[i] != '\n'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

// commentEnd is where the comment at i ends; i if there is none.
func commentEnd(text []byte, i int) int {
	for open, shut := range map[string]string{"//": "\n", "/*": "*/"} {
		if !bytes.HasPrefix(text[i:], []byte(open)) {
			continue
		}
		if end := bytes.Index(text[i:], []byte(shut)); end >= 0 {
			return i + end + len(shut)
		}
		return len(text)
	}
	return i
}

// parameters are the numbers of arguments that the definition y takes, by its text.
func (o *overload) parameters(y symbol) (accepted, bool) {
	t, err := o.r.s.locate(context.WithoutCancel(o.r.clock.ctx), y)
	if err != nil {
		return accepted{}, false
	}
	head := t.text
	if t.body > 0 {
		head = head[:min(t.body, len(head))]
	}
	at := callOf(withoutTexts(head), o.r.s.lex.text(o.r.def(y).name))
	if at < 0 {
		return accepted{}, false
	}
	list, end := separated(head[at:])
	if end == 0 {
		return accepted{}, false
	}
	a := accepted{}
	for _, p := range list {
		a.most++
		switch {
		case bytes.Contains(p, []byte("...")), bytes.HasPrefix(p, []byte("params ")), bytes.HasPrefix(p, []byte("vararg ")):
			a.most = math.MaxInt32 // and no more is added: it stands last
		case string(p) == "void":
			a.most--
		case bytes.IndexByte(p, '=') >= 0, bytes.HasPrefix(p, []byte("this ")): // a default, or the value before the dot
		default:
			a.least++
		}
	}
	return a, true
}
