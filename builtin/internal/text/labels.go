package text

import (
	_ "embed"
	"strings"
	"sync"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// labelLines has a line for each encoding of the web: its name, then the other labels that browsers know it by. They
// are those of the WHATWG's Encoding Standard.
//
//go:embed labels.txt
var labelLines string

// codecs are the encodings of the web by their names.
var codecs = map[string]encoding.Encoding{
	"big5":           traditionalchinese.Big5,
	"euc-jp":         japanese.EUCJP,
	"euc-kr":         korean.EUCKR,
	"gb18030":        simplifiedchinese.GB18030,
	"gbk":            simplifiedchinese.GBK,
	"ibm866":         charmap.CodePage866,
	"iso-2022-jp":    japanese.ISO2022JP,
	"iso-8859-10":    charmap.ISO8859_10,
	"iso-8859-13":    charmap.ISO8859_13,
	"iso-8859-14":    charmap.ISO8859_14,
	"iso-8859-15":    charmap.ISO8859_15,
	"iso-8859-16":    charmap.ISO8859_16,
	"iso-8859-2":     charmap.ISO8859_2,
	"iso-8859-3":     charmap.ISO8859_3,
	"iso-8859-4":     charmap.ISO8859_4,
	"iso-8859-5":     charmap.ISO8859_5,
	"iso-8859-6":     charmap.ISO8859_6,
	"iso-8859-7":     charmap.ISO8859_7,
	"iso-8859-8":     charmap.ISO8859_8,
	"iso-8859-8-i":   charmap.ISO8859_8I,
	"koi8-r":         charmap.KOI8R,
	"koi8-u":         charmap.KOI8U,
	"macintosh":      charmap.Macintosh,
	"replacement":    encoding.Replacement,
	"shift_jis":      japanese.ShiftJIS,
	"utf-16be":       unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
	"utf-16le":       unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
	"utf-8":          unicode.UTF8,
	"windows-1250":   charmap.Windows1250,
	"windows-1251":   charmap.Windows1251,
	"windows-1252":   charmap.Windows1252,
	"windows-1253":   charmap.Windows1253,
	"windows-1254":   charmap.Windows1254,
	"windows-1255":   charmap.Windows1255,
	"windows-1256":   charmap.Windows1256,
	"windows-1257":   charmap.Windows1257,
	"windows-1258":   charmap.Windows1258,
	"windows-874":    charmap.Windows874,
	"x-mac-cyrillic": charmap.MacintoshCyrillic,
	"x-user-defined": charmap.XUserDefined,
}

// names are the encodings' names by their labels.
var names = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(labelLines) {
		labels := strings.Fields(line)
		for _, l := range labels {
			out[l] = labels[0]
		}
	}
	return out
})

// Labelled is the encoding that a page means by a label, and its name; nil for a label that is none.
func Labelled(label string) (codec encoding.Encoding, name string) {
	name = names()[strings.ToLower(strings.Trim(label, "\t\n\r\f "))]
	return codecs[name], name
}
