package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// An alphabet is an encoding of one byte a character for a script that is not Latin, and the script's most frequent
// letters: half of a text and more are of these, and of one that is decoded wrongly far fewer.
type alphabet struct {
	Encoding
	script *unicode.RangeTable
	common string
}

const (
	commonCyrillic = "оеаинтсрвлкм"
	commonGreek    = "αοιετσνηυρςπκμάίό"
	commonHebrew   = "יוהלאתרמבש"
	commonArabic   = "اليمنوترب"
	commonThai     = "านรอกเงลยวมตดสีั่้ิ"
)

// alphabets are the encodings of other scripts that are looked for; of equal scores the first counts.
func alphabets() []alphabet {
	return []alphabet{
		{Windows1251, unicode.Cyrillic, commonCyrillic},
		{KOI8R, unicode.Cyrillic, commonCyrillic},
		{IBM866, unicode.Cyrillic, commonCyrillic},
		{ISO88595, unicode.Cyrillic, commonCyrillic},
		{Windows1253, unicode.Greek, commonGreek},
		{Windows1255, unicode.Hebrew, commonHebrew},
		{Windows1256, unicode.Arabic, commonArabic},
		{Windows874, unicode.Thai, commonThai},
	}
}

// frequent is a share of common letters that hardly any text goes beyond.
const frequent = 0.8

// score is the share of letters that stand among their like, less those beside a Latin letter, without capitals after
// small ones; less where they are rare ones.
func (a alphabet) score(b []byte) float64 {
	good, letters, common, n := 0, 0, 0, 0
	last := ' '
	for _, r := range a.Show(b) {
		own := unicode.Is(a.script, r)
		switch {
		case r == utf8.RuneError:
			return 0
		case own:
			letters++
			common += b2i(strings.ContainsRune(a.common, unicode.ToLower(r)))
			good += b2i(!(unicode.IsUpper(r) && unicode.IsLower(last)))
			good -= 2 * b2i(ascii(last))
		case ascii(r):
			good -= 2 * b2i(unicode.Is(a.script, last))
		case r >= utf8.RuneSelf:
			good -= b2i(!unicode.IsPunct(r) && r != '\u00a0')
		}
		n += b2i(r >= utf8.RuneSelf)
		last = r
	}
	often := float64(common) / float64(max(letters, 1))
	return float64(good) / float64(max(n, 1)) * (0.5 + 0.5*min(1, often/frequent))
}

// Alphabets of languages in Latin letters, beyond ASCII. A text has letters of one of them, where an encoding is the
// right one.
var (
	western = []string{"àâæçéèêëîïôùûüÿœ", "äöüß", "áéíñóúü", "áâãàçéêíóôõú", "àèéìíîòóùú", "åäöæøé"}
	central = []string{"ąćęłńóśźż", "áčďéěíňóřšťúůýžľĺŕäô", "áéíóöőúüű", "čćžšđ", "ăâîșțşţ"}
	turkish = []string{"çğıiöşüâîû"} // İ is i in lower case
)

// anyWestern is what letters of several western languages are worth: names from everywhere stand in one file.
const anyWestern = 0.9

// latin judges the encodings of Latin letters and gives the best; one for western languages, unless another is clearly
// better.
func latin(b []byte) (Encoding, float64) {
	best := fallback(b)
	most := fitting(best, b, western, anyWestern)
	for _, e := range []struct {
		Encoding
		languages []string
	}{{ISO88592, central}, {Windows1250, central}, {Windows1254, turkish}} {
		s := fitting(e.Encoding, b, e.languages, 0)
		if s > most+0.02 {
			best, most = e.Encoding, s
		}
	}
	return best, most
}

// fitting is the share of characters that stand as letters of these languages do: beside a letter of ASCII or alone,
// not among others of their kind; or that are marks of typography. Letters of no such language are worth as much as any
// says.
func fitting(e Encoding, b []byte, languages []string, any float64) float64 {
	rs := []rune(e.Show(b))
	good, n, letters := 0, 0, 0
	known := make([]int, len(languages))
	at := func(i int) rune {
		if i < 0 || i >= len(rs) {
			return ' '
		}
		return rs[i]
	}
	for i, r := range rs {
		if r < utf8.RuneSelf {
			continue
		}
		n++
		switch {
		case unicode.IsLetter(r):
			before, after := at(i-1), at(i+1)
			good += b2i(ascii(before) || ascii(after) || before < utf8.RuneSelf && after < utf8.RuneSelf)
			letters++
			count(known, languages, unicode.ToLower(r))
		case strings.ContainsRune("«»“”‘’„‚–—…°§€£©®·•\u00a0", r):
			good++
		}
	}
	share := any
	for _, k := range known {
		share = max(share, float64(k)/float64(max(letters, 1)))
	}
	if letters == 0 {
		share = 1
	}
	return float64(good) / float64(max(n, 1)) * (0.5 + 0.5*share)
}

// count notes in which of the languages a letter occurs.
func count(known []int, languages []string, r rune) {
	for i, l := range languages {
		known[i] += b2i(strings.ContainsRune(l, r))
	}
}

// fallback is how western languages are written: windows-1252 where a file has a byte that only this uses, else
// ISO-8859-1, which is the same without them. A file that shows nothing of windows-1252 gets none of its characters:
// another program may read them as others.
func fallback(b []byte) Encoding {
	e := Western
	for _, c := range b {
		switch {
		case c < 0x80 || c > 0x9f:
		case c == 0x81 || c == 0x8d || c == 0x8f || c == 0x90 || c == 0x9d: // without a meaning in windows-1252
			return Latin1
		default:
			e = Windows1252
		}
	}
	return e
}

// ascii tells a letter of ASCII.
func ascii(r rune) bool { return r < utf8.RuneSelf && unicode.IsLetter(r) }

// b2i is 1 for true.
func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
