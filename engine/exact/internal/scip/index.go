package scip

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

const (
	// MaxSize bounds an index, in bytes: those of projects of a million lines have some hundred million.
	MaxSize = 512 << 20
	// maxPart bounds a file's part of it, in bytes.
	maxPart = 64 << 20
	// maxNames bounds the names in all files, of which each takes 20 bytes of memory.
	maxNames = 5_000_000
	// maxSymbol bounds the text of a symbol, in bytes.
	maxSymbol = 4 << 10
	// maxSymbols bounds the texts of all symbols together, in bytes.
	maxSymbols = 128 << 20
)

var errLarge = errors.New("it is larger than what is read")

// An Index is what an indexer wrote of a project. Nothing changes it any more.
type Index struct {
	docs    map[string]*Document
	symbols []symbol
}

// A symbol is what names mean.
type symbol struct {
	name  string // as it stands in a text; "": that cannot be told
	local bool   // to one file
	at    []Place

	outside bool // it is one of a language's own library, which no project contains
}

// A Place is where a symbol is defined.
type Place struct {
	Doc  *Document
	name int // of the document's names
}

// A Document is one file's part of an index.
type Document struct {
	Path  string // relative to the folder of the index
	index *Index
	units units
	names []name // sorted by their places
}

// A name is one that stands in a file. Columns count the units of the document.
type name struct {
	line, start, end int32
	symbol           int32
	defines          bool
}

// The numbers of the fields that are read.
const (
	inIndexDocument = 2

	inDocumentPath  = 1
	inDocumentName  = 2
	inDocumentUnits = 6

	inNameRange  = 1
	inNameSymbol = 2
	inNameRoles  = 3
	inNameLine   = 8 // a range in the form of later versions: line, start, end
	inNameLines  = 9 // line, start, end's line, end

	roleDefinition = 1
)

// Read reads an index. stop is asked now and then; its error ends the reading.
func Read(r io.Reader, stop func() error) (*Index, error) {
	b := builder{index: &Index{docs: map[string]*Document{}}, global: map[string]int32{}}
	in := &io.LimitedReader{R: r, N: MaxSize + 1}
	err := messages(bufio.NewReaderSize(in, 64<<10), inIndexDocument, maxPart, func(data []byte) error {
		if err := stop(); err != nil {
			return err
		}
		return b.document(data)
	})
	if in.N == 0 {
		err = errLarge
	}
	if err != nil {
		return nil, err
	}
	if len(b.index.docs) == 0 {
		return nil, fmt.Errorf("%w: it has no files", ErrFormat)
	}
	return b.index, nil
}

// A builder makes an index while it is read.
type builder struct {
	index  *Index
	global map[string]int32
	local  map[string]int32 // those of the document that is read
	names  int
	text   int // bytes of symbols
}

// document reads a file's part.
func (b *builder) document(data []byte) error {
	d := &Document{index: b.index}
	b.local = map[string]int32{}
	err := fields(data, func(f field) error {
		switch f.number {
		case inDocumentPath:
			d.Path = string(f.data)
		case inDocumentUnits:
			d.units = units(f.value)
		case inDocumentName:
			return b.name(d, f.data)
		}
		return nil
	})
	if err != nil {
		return err
	}
	clean := path.Clean(d.Path)
	if d.Path == "" || !below(clean) {
		return nil
	}
	d.Path = clean
	if b.index.docs[d.Path] != nil {
		return fmt.Errorf("%w: %q is in it twice", ErrFormat, d.Path)
	}
	b.index.docs[d.Path] = d
	slices.SortStableFunc(d.names, name.compare)
	for i, n := range d.names {
		if s := &b.index.symbols[n.symbol]; n.defines {
			s.at = append(s.at, Place{d, i})
		}
	}
	return nil
}

// below reports whether a clean path is one of a file below the index.
func below(clean string) bool {
	return !path.IsAbs(clean) && clean != ".." && !strings.HasPrefix(clean, "../")
}

// compare is the order of places.
func (n name) compare(o name) int {
	return cmp.Or(cmp.Compare(n.line, o.line), cmp.Compare(n.start, o.start))
}

// name reads a name of a document. One that stands on more than a line is none.
func (b *builder) name(d *Document, data []byte) error {
	var at span
	var symbol []byte
	n := name{}
	err := fields(data, func(f field) error {
		switch f.number {
		case inNameRange, inNameLine, inNameLines:
			return at.read(f)
		case inNameSymbol:
			symbol = f.data
		case inNameRoles:
			n.defines = f.value&roleDefinition != 0
		}
		return nil
	})
	if err != nil {
		return err
	}
	at = at.onLine()
	if at == nil || len(symbol) == 0 || len(symbol) > maxSymbol {
		return nil
	}
	if b.names++; b.names > maxNames {
		return errLarge
	}
	n.line, n.start, n.end = at[0], at[1], at[2]
	n.symbol, err = b.symbol(symbol)
	d.names = append(d.names, n)
	return err
}

// A span is where a name stands: line, start and end, or line, start, the end's line and end.
type span []int32

// onLine is the span as line, start and end; nil: it stands on several lines, or is empty, which stands for the file.
func (s span) onLine() span {
	if len(s) == 4 && s[0] == s[2] {
		s = span{s[0], s[1], s[3]}
	}
	if len(s) != 3 || s[1] >= s[2] {
		return nil
	}
	return s
}

// read takes it from a field, in either form. Where both are there, they are equal.
func (s *span) read(f field) error {
	if f.number == inNameRange {
		*s = nil
		return numbers(f, func(v uint64) {
			if len(*s) <= 4 { // one too many is seen, and more need not be
				*s = append(*s, clamp(v))
			}
		})
	}
	at := make(span, f.number-inNameLine+3)
	*s = at
	return fields(f.data, func(part field) error {
		if i := part.number - 1; i >= 0 && i < len(at) {
			at[i] = clamp(part.value)
		}
		return nil
	})
}

// clamp is a number of a range; what is none there, or negative, lies behind every text.
func clamp(v uint64) int32 { return int32(min(v, 1<<31-1)) }

// symbol is the number of one.
func (b *builder) symbol(text []byte) (int32, error) {
	known := b.global
	local := strings.HasPrefix(string(text), "local ")
	if local {
		known = b.local
	}
	if n, ok := known[string(text)]; ok {
		return n, nil
	}
	if b.text += len(text); b.text > maxSymbols {
		return 0, errLarge
	}
	n := int32(len(b.index.symbols))
	known[string(text)] = n
	s := symbol{local: local}
	if !local {
		s.name = strings.Clone(nameOf(string(text)))
		s.outside = ofLibrary(string(text))
	}
	b.index.symbols = append(b.index.symbols, s)
	return n, nil
}

// ofLibrary reports whether a symbol is one of a language's own library. The second and third words of a symbol are the
// kind and the name of a package.
func ofLibrary(symbol string) bool {
	words := strings.SplitN(symbol, " ", 4)
	if len(words) < 4 {
		return false
	}
	switch words[1] + " " + words[2] {
	case "python python-stdlib", "npm typescript", "npm @types/node", "gomod github.com/golang/go/src", "maven jdk":
		return true
	}
	return false
}

// nameOf is the name of a symbol as it stands in a text: of its last part, if that is a word. "": it cannot be told.
func nameOf(symbol string) string {
	if symbol == "" {
		return ""
	}
	end := len(symbol) - 1
	last := symbol[end]
	symbol = symbol[:end]
	switch last {
	case '#', '!':
	case '.':
		if method, ok := strings.CutSuffix(symbol, ")"); ok {
			symbol = method[:max(0, strings.LastIndexByte(method, '('))]
		}
	default: // namespaces and what has no name of its own
		return ""
	}
	from := len(symbol)
	if quoted, ok := strings.CutSuffix(symbol, "`"); ok {
		symbol = quoted
		from = strings.LastIndexByte(quoted, '`') + 1
	} else {
		for from > 0 && isWord(symbol[from-1]) {
			from--
		}
	}
	name := symbol[from:]
	if strings.ContainsFunc(name, func(r rune) bool { return r < 0x80 && !isWord(byte(r)) }) {
		return "" // "<constructor>"
	}
	return name
}

// isWord reports whether a byte is one of a word; of other scripts every byte is.
func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
