package charset

// The encodings that files are found to have.
var (
	GBK         = double("gbk", pairs, 0)
	GB18030     = &Charset{name: "gb18030", kind: quads, table: withQuads(GBK.table)}
	Big5        = double("big5", pairs, 1)
	ShiftJIS    = double("shift_jis", pairs, 2)
	EUCJP       = double("euc-jp", triples, 3)
	ISO2022JP   = &Charset{name: "iso-2022-jp", kind: escaped, table: EUCJP.table}
	EUCKR       = double("euc-kr", pairs, 4)
	IBM866      = single("ibm866", 0)
	ISO88591    = single("iso-8859-1", 1) // no label of the web means it: it is windows-1252 there
	ISO88592    = single("iso-8859-2", 2)
	ISO88595    = single("iso-8859-5", 5)
	KOI8R       = single("koi8-r", 15)
	Macintosh   = single("macintosh", 17)
	Windows1250 = single("windows-1250", 18)
	Windows1251 = single("windows-1251", 19)
	Windows1252 = single("windows-1252", 20)
	Windows1253 = single("windows-1253", 21)
	Windows1254 = single("windows-1254", 22)
	Windows1255 = single("windows-1255", 23)
	Windows1256 = single("windows-1256", 24)
	Windows874  = single("windows-874", 27)
)

// all are the encodings that have names: those above, and the others of the web.
var all = []*Charset{
	GBK, GB18030, Big5, ShiftJIS, EUCJP, ISO2022JP, EUCKR, IBM866, ISO88592, ISO88595, KOI8R, Macintosh,
	Windows1250, Windows1251, Windows1252, Windows1253, Windows1254, Windows1255, Windows1256, Windows874,
	single("iso-8859-3", 3), single("iso-8859-4", 4), single("iso-8859-6", 6), single("iso-8859-7", 7),
	single("iso-8859-8", 8), single("iso-8859-8-i", 9), single("iso-8859-10", 10), single("iso-8859-13", 11),
	single("iso-8859-14", 12), single("iso-8859-15", 13), single("iso-8859-16", 14), single("koi8-u", 16),
	single("windows-1257", 25), single("windows-1258", 26), single("x-mac-cyrillic", 28), single("x-user-defined", 29),
}

// withQuads is the table of GB18030, which has GBK's pairs.
func withQuads(t *table) *table {
	return &table{runes: t.runes, quads: func() []rune { return pairLists()[5] }}
}

// single has the list n of letterLists.
func single(name string, n int) *Charset {
	return &Charset{name: name, table: &table{runes: func() []rune { return letterLists()[n] }}}
}

// double has the list n of pairLists.
func double(name string, k kind, n int) *Charset {
	t := &table{runes: func() []rune { return pairLists()[n] }}
	t.late = name == "big5" // which has lines and borders of boxes twice
	return &Charset{name: name, kind: k, table: t}
}
