package meaning

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"helve/engine/code/internal/store"
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

// Accepted are the numbers of arguments that an overload takes.
type Accepted struct{ Least, Most int }

// Takes reports whether so many arguments fit.
func (a Accepted) Takes(count int) bool { return a.Least <= count && count <= a.Most }

// String is "2", "1 to 3" or "1 or more".
func (a Accepted) String() string {
	switch {
	case a.Least == a.Most:
		return strconv.Itoa(a.Least)
	case a.Most == math.MaxInt32:
		return strconv.Itoa(a.Least) + " or more"
	}
	return fmt.Sprintf("%d to %d", a.Least, a.Most)
}

// Overload is one of several overloads of a function, and what is needed to tell calls of it from calls of the others.
type Overload struct {
	*evaluator
	chosen   store.DefID
	accepts  map[store.DefID]Accepted // by each of the overloads
	complete bool                     // accepts knows all of them
	texts    map[int32][][]byte       // the lines of files that were read
}

// Whole are the definitions of group, and all versions of one that was asked for alone and is not told apart from
// them: a reference that means one may lead to another.
func (r *uses) Whole(group []store.DefID) []store.DefID {
	if r.chosen != nil {
		return group
	}
	same := r.Tree.Versions(group[0])
	for i := range r.DefsOf(group[0].File) {
		v := store.At(group[0].File, int32(i))
		if same(v) && !slices.Contains(group, v) && len(group) < store.MaxTargets {
			group = append(group, v)
		}
	}
	return group
}

// signatures are y and, where it is a signature that stands beside the body of its function, all others of that
// function: who calls one of them calls the function.
func (r *uses) signatures(y store.DefID) []store.DefID {
	group := []store.DefID{y}
	d := r.Def(y)
	if !r.rules(y.File).signatures || !d.Kind.Callable() || d.Body < d.End {
		return group
	}
	return r.Whole(group)
}

// overload looks at the others beside y; nil where there are none.
func (r *uses) overload(y store.DefID) *Overload {
	s := r.Tree
	if !r.rules(y.File).overloads || !r.callable(y) {
		return nil
	}
	o := r.Calls()
	o.chosen, o.accepts, o.complete = y, map[store.DefID]Accepted{}, true
	name, id := s.Def(y).Name, s.Qualified(y)
	defs := r.DefsOf(y.File)
	for i := range defs {
		v := store.At(y.File, int32(i))
		if defs[i].Name != name || !defs[i].Kind.Callable() || s.Qualified(v) != id {
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

// Calls counts the arguments of calls, of none of several overloads.
func (r *uses) Calls() *Overload {
	return &Overload{evaluator: r.evaluator, texts: map[int32][][]byte{}}
}

// settle is how sure it is that the reference u in file n, which means one of the overloads and names it name, means
// the chosen one; false: it cannot.
func (o *Overload) settle(n int32, u *store.Ref, name string, sure Confidence) (Confidence, bool) {
	any := sure.Worse(Confidence{Level: Ambiguous, Of: len(o.accepts)})
	if !o.complete || u.Use != syntax.Call {
		return any, true
	}
	count, ok := o.Arguments(n, int(u.Line), name)
	if !ok {
		return any, true
	}
	fitting := 0
	for _, a := range o.accepts {
		if a.Takes(count) {
			fitting++
		}
	}
	switch {
	case fitting == 0:
		return any, true
	case !o.accepts[o.chosen].Takes(count):
		return Confidence{}, false
	case fitting == 1:
		return sure, true
	}
	return sure.Worse(Confidence{Level: Ambiguous, Of: fitting}), true
}

// Arguments counts those of the call of name on a line of file n; false where the line does not say.
func (o *Overload) Arguments(n int32, line int, name string) (int, bool) {
	lines, ok := o.texts[n]
	if !ok {
		if len(o.texts) >= maxCountedFiles || o.Clock.Look() {
			return 0, false
		}
		src, err := o.Tree.Text(o.Clock.Context, o.Tree.Files[n].Path)
		if err == nil && store.Digest(src) == o.Tree.Files[n].Digest {
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
		if end == 0 || known && count != len(list) || trailing && !o.rules(n).lastInBrace {
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
		if from > 0 && IsNameByte(text[from-1]) {
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

func IsNameByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// typeArguments is the length of those behind a name, <K, List<V>>: their commas separate no arguments of the call.
// 0: none stand there.
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
		case depth == 0 || !IsNameByte(c) && !bytes.ContainsRune([]byte(" \t\r\n,.?[]&:*"), rune(c)):
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
			if i > 0 && (IsNameByte(text[i-1]) || text[i-1] == '.') {
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
func (o *Overload) parameters(y store.DefID) (Accepted, bool) {
	t, err := o.Tree.Locate(context.WithoutCancel(o.Clock.Context), y)
	if err != nil {
		return Accepted{}, false
	}
	head := t.Text
	if t.Body > 0 {
		head = head[:min(t.Body, len(head))]
	}
	at := callOf(withoutTexts(head), o.Tree.Lex.Text(o.Def(y).Name))
	if at < 0 {
		return Accepted{}, false
	}
	list, end := separated(head[at:])
	if end == 0 {
		return Accepted{}, false
	}
	a := Accepted{}
	for _, p := range list {
		a.Most++
		switch {
		case takesMany(p):
			a.Most = math.MaxInt32 // and no more is added: it stands last
		case string(p) == "void":
			a.Most--
		case bytes.IndexByte(p, '=') >= 0: // a default
		case bytes.HasPrefix(p, []byte("this ")): // the value before the dot
		default:
			a.Least++
		}
	}
	return a, true
}

// takesMany reports whether a parameter stands for any number of arguments.
func takesMany(p []byte) bool {
	for _, before := range []string{"params ", "vararg "} {
		if bytes.HasPrefix(p, []byte(before)) {
			return true
		}
	}
	return bytes.Contains(p, []byte("..."))
}
