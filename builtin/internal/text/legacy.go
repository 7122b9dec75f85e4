package text

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The most frequent characters of running text. Decoded wrongly, a text hits them by chance only, a few in a hundred.
const (
	commonSimplified  = "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可里后小么心多天而能好都然没日于起还发成事只作当想看文开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市无字符文件测试数据码"
	commonTraditional = "的一是不了在人有我他這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可裡後小麼心多天而能好都然沒日於起還發成事只作當想看文開手十用主行方又如前所本見經頭面公同三已老從動兩長知民樣現分將外但身些與高意進把法此實回二理美點月明其種聲全工己話兒者向情部正名定女問力機給等幾很業最間新什打便位因重被走電四第門相次東政海口使教西再平真聽世氣信北少關並內加化由卻代軍產入先山五太水萬市無字元檔案測試資料碼"
	commonKorean      = "이다는의에가을한고를하지은로서도과그사대기자어리인나정시아해일수있것들만여보부상주전지제스장원조소구동국문공관년면성으와니까요습"
	commonJapanese    = "のにはをたがでてとしれさあいうえおかきくけこすせそちつなぬねひふへほまみむめもやゆよらりるろわんっょゃゅだどばぶべびじずぜぞげごぎぐざ日本語人年大十二一三中国会社学生東京都新聞文字今何時行見来上下出入高小山川田"
)

// A multibyte encoding and how its characters are judged: level tells from a character's bytes whether it is of the
// first, frequent set (1), of the second (0.5), or an oddity.
type multibyte struct {
	Encoding
	common string
	level  func(lead, trail byte) float64
}

// multibytes are the encodings of two and more bytes a character; of equal scores the first counts.
func multibytes() []multibyte {
	return []multibyte{
		{GB18030, commonSimplified, rows(0xb0, 0xd7, 0xd8, 0xf7)},
		{Big5, commonTraditional, rows(0xa4, 0xc6, 0xc9, 0xf9)},
		{ShiftJIS, commonJapanese, rows(0x88, 0x98, 0x99, 0xea)},
		{EUCJP, commonJapanese, rows(0xb0, 0xcf, 0xd0, 0xf4)},
		{EUCKR, commonKorean, rows(0xb0, 0xc8, 0xca, 0xfd)},
	}
}

// rows judges by the lead byte: the first set is in rows a to b, the second in c to d. GB2312, KS X 1001 and the EUC
// form of JIS X 0208 have trail bytes beyond ASCII only; what has others there is an extension of rare characters,
// which for Big5 and Shift_JIS says nothing.
func rows(a, b, c, d byte) func(lead, trail byte) float64 {
	narrow := a == 0xb0
	return func(lead, trail byte) float64 {
		switch {
		case narrow && trail < 0xa1:
			return 0.1
		case a <= lead && lead <= b:
			return 1
		case c <= lead && lead <= d:
			return 0.5
		}
		return 0.1
	}
}

// leastSure is the score from which characters read as text of a multibyte encoding: most are of the first set.
const leastSure = 0.6

// singleEvidence is how much is read as each of the encodings of one byte a character: there are a dozen.
const singleEvidence = 8 << 10

// legacy judges which encoding makes the most sense of lines that are not UTF-8.
func legacy(b []byte) Encoding {
	short := b[:min(len(b), singleEvidence)]
	best, most := latin(short)
	most = max(most, 0.01)
	for _, a := range alphabets() {
		s := a.score(short)
		if s > most {
			best, most = a.Encoding, s
		}
	}
	for _, m := range multibytes() {
		s := m.score(b)
		if s >= leastSure && s > most {
			best, most = m.Encoding, s
		}
	}
	return best
}

// score is the average over the characters beyond ASCII: their level, and half a point for a frequent one. A byte that
// is not valid, or that would not come back the same, makes it zero.
func (m multibyte) score(b []byte) float64 {
	s, err := m.Decode(b)
	if err != nil || bytes.ContainsRune(s, utf8.RuneError) {
		return 0
	}
	sum, n, at := 0.0, 0, 0
	for _, r := range string(s) {
		size := m.size(b[at:])
		if r >= utf8.RuneSelf {
			sum += m.value(r, b[at:at+size])
			n++
		}
		at += size
	}
	return sum / float64(max(n, 1))
}

// size is the length of the character that valid bytes begin with.
func (m multibyte) size(b []byte) int {
	switch {
	case len(b) < 2 || b[0] < utf8.RuneSelf:
		return 1
	case m.name == ShiftJIS.name && b[0] >= 0xa1 && b[0] <= 0xdf:
		return 1
	case m.name == GB18030.name && b[0] == 0x80:
		return 1
	case m.name == GB18030.name && b[1] >= '0' && b[1] <= '9':
		return min(len(b), 4)
	case m.name == EUCJP.name && b[0] == 0x8f:
		return min(len(b), 3)
	}
	return 2
}

// value is how much a character speaks for the encoding that it was decoded by: 1 for one that texts are made of,
// less for what a wrong encoding makes of other bytes, and below 0 for what nobody writes.
func (m multibyte) value(r rune, b []byte) float64 {
	bonus := 0.0
	if strings.ContainsRune(m.common, r) {
		bonus = 0.5
	}
	switch {
	case unicode.Is(unicode.Co, r):
		return -1
	case r >= 0x3040 && r <= 0x30ff: // kana, which the Chinese and Korean sets have too, but rarely use
		if m.common == commonJapanese {
			return 1 + bonus
		}
		return 0.2
	case r >= 0x3000 && r <= 0x303f, r >= 0xff00 && r <= 0xff60: // punctuation of all of them
		return 1
	case r >= 0xff61 && r <= 0xff9f: // half-width katakana: what Shift_JIS makes of anything
		return 0.2
	case unicode.Is(unicode.Han, r) || unicode.Is(unicode.Hangul, r):
		return m.han(r, b) + bonus
	}
	return 0.3
}

// han judges an ideograph or syllable. Korean text of today is Hangul.
func (m multibyte) han(r rune, b []byte) float64 {
	if len(b) != 2 {
		return 0.1
	}
	if m.name == EUCKR.name && unicode.Is(unicode.Han, r) {
		return 0.2
	}
	return m.level(b[0], b[1])
}
