package pdf

import (
	"strconv"
	"strings"
	"unicode/utf16"

	"helve/builtin/internal/charset"
)

// maxCodes bounds what a font's table may map.
const maxCodes = 100_000

// maxDifferences bounds the list of glyphs that differ: 256 and the numbers between them.
const maxDifferences = 1024

// maxFonts bounds the fonts of one document.
const maxFonts = 2000

// A font turns the bytes of a string into characters and their widths.
type font struct {
	wide    bool           // two bytes a character
	unicode map[int]string // what the file says; first choice
	chars   [256]string    // of a font of single bytes
	widths  map[int]float64
	width   float64 // of the others, in thousandths of the size; 0: not known
}

// font reads a font dictionary, or what of it is there. A font that is missing reads as one of Latin letters, so
// that its text is not lost.
func (d *document) font(v any) *font {
	f := &font{unicode: map[int]string{}, widths: map[int]float64{}}
	fd := d.dict(v)
	f.wide = fd["Subtype"] == name("Type0")
	if s, ok := d.resolve(fd["ToUnicode"]).(*stream); ok {
		f.readCMap(d.decode(s))
	}
	if f.wide {
		f.width = 1000 // where the file does not say: an em, as ideographs have it
		list, ok := d.resolve(fd["DescendantFonts"]).([]any)
		if ok && len(list) > 0 {
			cid := d.dict(list[0])
			n, ok := d.number(cid["DW"])
			if ok {
				f.width = n
			}
			f.cidWidths(d, cid["W"])
		}
		return f
	}
	f.encoding(d, fd["Encoding"])
	first, _ := d.number(fd["FirstChar"])
	list, _ := d.resolve(fd["Widths"]).([]any)
	for i, v := range list[:min(len(list), 256)] {
		n, ok := d.number(v)
		if ok {
			f.widths[int(first)+i] = n
		}
	}
	return f
}

// cidWidths reads [first [w w …] first last w …].
func (f *font) cidWidths(d *document, v any) {
	list, _ := d.resolve(v).([]any)
	for i, steps := 0, 0; i+1 < len(list) && len(f.widths) < maxCodes && steps < maxCodes; steps++ {
		// Either a code and the widths from there on, or two codes and the width of all between.
		first, _ := d.number(list[i])
		ws, ok := d.resolve(list[i+1]).([]any)
		if ok {
			for j, w := range ws {
				f.widths[int(first)+j], _ = d.number(w)
			}
			i += 2
			continue
		}
		if i+2 >= len(list) {
			return
		}
		last, _ := d.number(list[i+1])
		w, _ := d.number(list[i+2])
		for c := max(0, int(first)); c <= int(last) && c < 1<<16 && len(f.widths) < maxCodes; c++ {
			f.widths[c] = w
		}
		i += 3
	}
}

// encoding sets what the bytes of a simple font mean: a table that is known by name, and the differences from it,
// which are numbers followed by the glyphs from there on.
func (f *font) encoding(d *document, v any) {
	base := charset.Windows1252 // also for the standard encoding, from which it differs in marks and accents
	enc := d.dict(v)
	if d.resolve(v) == name("MacRomanEncoding") || enc["BaseEncoding"] == name("MacRomanEncoding") {
		base = charset.Macintosh
	}
	for i := range f.chars {
		r := base.Rune(byte(i))
		if i >= 32 { // below are no characters, unless the differences say so
			f.chars[i] = string(r)
		}
	}
	list, _ := d.resolve(enc["Differences"]).([]any)
	code := 0
	for _, v := range list[:min(len(list), maxDifferences)] {
		switch v := d.resolve(v).(type) {
		case float64:
			code = int(v)
		case name:
			if code >= 0 && code < 256 {
				f.chars[code] = glyph(string(v))
			}
			code++
		}
	}
}

// readCMap reads the table from codes to Unicode.
func (f *font) readCMap(b []byte) {
	p := &parser{src: b}
	// The operands of an operator stand before it. Those of the longest legal list are three hundred; what has more
	// without an operator is no table, and only its end is kept.
	var args []any
	for len(f.unicode) < maxCodes && p.at < len(b) {
		v, ok := p.object()
		if !ok {
			continue
		}
		if word, isOp := v.(op); isOp {
			f.mapped(word, args)
			args = nil
			continue
		}
		args = append(args, v)
		if len(args) > 1000 {
			args = args[500:]
		}
	}
}

// mapped is one operator of such a table, with its operands.
func (f *font) mapped(word op, args []any) {
	switch word {
	case "endbfchar":
		for i := 0; i+1 < len(args); i += 2 {
			f.mapCode(args[i], args[i+1], 0)
		}
	case "endbfrange":
		for i := 0; i+2 < len(args); i += 3 {
			f.mapRange(args[i], args[i+1], args[i+2])
		}
	case "endcodespacerange":
		if len(args) < 2 {
			return
		}
		// Tables of mixed width are read by the width of their first range.
		t, ok := args[0].(text)
		if ok {
			f.wide = len(t) > 1
		}
	}
}

// codeOf is the number that a string of one to four bytes stands for.
func codeOf(v any) (int, bool) {
	t, ok := v.(text)
	n := 0
	for _, c := range []byte(t[:min(len(t), 4)]) {
		n = n<<8 | int(c)
	}
	return n, ok && len(t) > 0
}

// mapCode maps a code to UTF-16 text whose last unit is raised by add.
func (f *font) mapCode(code, to any, add int) {
	n, ok := codeOf(code)
	t, is := to.(text)
	if !ok || !is || len(t) < 2 || len(t) > 64 { // a ligature has some letters, no more
		return
	}
	f.unicode[n+add] = raised(t, add)
}

// raised decodes UTF-16 after add was put to its last unit: a range of codes gives the text of its first code only.
func raised(t text, add int) string {
	var units []uint16
	for i := 0; i+1 < len(t); i += 2 {
		units = append(units, uint16(t[i])<<8|uint16(t[i+1]))
	}
	units[len(units)-1] += uint16(add)
	return string(utf16.Decode(units))
}

// mapRange maps the codes of a range to consecutive texts, or to those of a list. It stops where the list ends, and
// at the bound: a range may claim four thousand million codes.
func (f *font) mapRange(from, to, dest any) {
	lo, ok1 := codeOf(from)
	hi, ok2 := codeOf(to)
	if !ok1 || !ok2 {
		return
	}
	list, isList := dest.([]any)
	for c := lo; c <= hi && c-lo < 1<<16 && len(f.unicode) < maxCodes; c++ {
		switch {
		case !isList:
			f.mapCode(from, dest, c-lo)
		case c-lo < len(list):
			t, ok := list[c-lo].(text)
			if ok && len(t) >= 2 && len(t) <= 64 {
				f.unicode[c] = raised(t, 0)
			}
		default:
			return
		}
	}
}

// next takes one character from the front of a string.
func (f *font) next(s text) (char string, code int, rest text) {
	if f.wide && len(s) >= 2 {
		code, rest = int(s[0])<<8|int(s[1]), s[2:]
	} else {
		code, rest = int(s[0]), s[1:] // also the odd last byte of a damaged string
	}
	u, ok := f.unicode[code]
	if ok { // what the file says is right also where its encoding is a fantasy
		return u, code, rest
	}
	if !f.wide {
		return f.chars[code], code, rest
	}
	return "", code, rest
}

// advance is the width of a code in units of the font's size; known is false where the file does not tell.
func (f *font) advance(code int) (w float64, known bool) {
	w, ok := f.widths[code]
	if ok {
		return w / 1000, true
	}
	if f.width > 0 {
		return f.width / 1000, true
	}
	return 0.5, false // of Latin letters, on average
}

// glyphs are the names that fonts of Latin text use for what is no letter.
var glyphs = map[string]string{
	"space":          " ",
	"exclam":         "!",
	"quotedbl":       `"`,
	"numbersign":     "#",
	"dollar":         "$",
	"percent":        "%",
	"ampersand":      "&",
	"quotesingle":    "'",
	"parenleft":      "(",
	"parenright":     ")",
	"asterisk":       "*",
	"plus":           "+",
	"comma":          ",",
	"hyphen":         "-",
	"minus":          "-",
	"period":         ".",
	"slash":          "/",
	"zero":           "0",
	"one":            "1",
	"two":            "2",
	"three":          "3",
	"four":           "4",
	"five":           "5",
	"six":            "6",
	"seven":          "7",
	"eight":          "8",
	"nine":           "9",
	"colon":          ":",
	"semicolon":      ";",
	"less":           "<",
	"equal":          "=",
	"greater":        ">",
	"question":       "?",
	"at":             "@",
	"bracketleft":    "[",
	"backslash":      `\`,
	"bracketright":   "]",
	"asciicircum":    "^",
	"underscore":     "_",
	"grave":          "`",
	"braceleft":      "{",
	"bar":            "|",
	"braceright":     "}",
	"asciitilde":     "~",
	"quoteleft":      "‘",
	"quoteright":     "’",
	"quotedblleft":   "“",
	"quotedblright":  "”",
	"bullet":         "•",
	"endash":         "–",
	"emdash":         "—",
	"ellipsis":       "…",
	"fi":             "fi",
	"fl":             "fl",
	"ff":             "ff",
	"ffi":            "ffi",
	"ffl":            "ffl",
	"germandbls":     "ß",
	"section":        "§",
	"degree":         "°",
	"copyright":      "©",
	"registered":     "®",
	"trademark":      "™",
	"euro":           "€",
	"Euro":           "€",
	"sterling":       "£",
	"yen":            "¥",
	"mu":             "µ",
	"multiply":       "×",
	"periodcentered": "·",
	"ae":             "æ",
	"AE":             "Æ",
	"oe":             "œ",
	"OE":             "Œ",
	"oslash":         "ø",
	"Oslash":         "Ø",
	"aring":          "å",
	"Aring":          "Å",
	"dotlessi":       "ı",
	"nbspace":        " ",
}

// marks are the accents that stand behind a letter in a glyph's name.
var marks = map[string]string{
	"acute":      "\u0301",
	"grave":      "\u0300",
	"circumflex": "\u0302",
	"dieresis":   "\u0308",
	"tilde":      "\u0303",
	"cedilla":    "\u0327",
	"caron":      "\u030c",
}

// glyph is the text of a glyph by its name, as Adobe's list of glyphs forms them: eacute, uni00E9, u1F600, a.sc; ""
// for one that is not known.
func glyph(s string) string {
	s, _, _ = strings.Cut(s, ".") // behind it stands a variant: small capitals, old-style figures
	if g, ok := glyphs[s]; ok {
		return g
	}
	if len(s) == 1 {
		return s
	}
	for _, prefix := range []string{"uni", "u"} {
		hex, ok := strings.CutPrefix(s, prefix)
		if ok && len(hex) >= 4 && len(hex) <= 6 {
			n, err := strconv.ParseUint(hex, 16, 32)
			if err == nil {
				return string(rune(n))
			}
		}
	}
	if len(s) > 1 && marks[s[1:]] != "" {
		return s[:1] + marks[s[1:]]
	}
	return ""
}
