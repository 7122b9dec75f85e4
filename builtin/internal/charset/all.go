package charset

// The encodings that files are found to have.
var (
	GBK         = &Charset{name: "gbk", kind: pairs, table: &table{wide: true, list: 0}}
	GB18030     = &Charset{name: "gb18030", kind: quads, table: &table{wide: true, list: 0}} // GBK's pairs
	Big5        = &Charset{name: "big5", kind: pairs, table: &table{wide: true, list: 1, late: true}}
	ShiftJIS    = &Charset{name: "shift_jis", kind: pairs, table: &table{wide: true, list: 2}}
	EUCJP       = &Charset{name: "euc-jp", kind: triples, table: &table{wide: true, list: 3}}
	ISO2022JP   = &Charset{name: "iso-2022-jp", kind: escaped, table: &table{wide: true, list: 3}} // EUC-JP's
	EUCKR       = &Charset{name: "euc-kr", kind: pairs, table: &table{wide: true, list: 4}}
	IBM866      = &Charset{name: "ibm866", table: &table{list: 0}}
	ISO88591    = &Charset{name: "iso-8859-1", table: &table{list: 1}} // windows-1252 where the web says so
	ISO88592    = &Charset{name: "iso-8859-2", table: &table{list: 2}}
	ISO88595    = &Charset{name: "iso-8859-5", table: &table{list: 5}}
	KOI8R       = &Charset{name: "koi8-r", table: &table{list: 15}}
	Macintosh   = &Charset{name: "macintosh", table: &table{list: 17}}
	Windows1250 = &Charset{name: "windows-1250", table: &table{list: 18}}
	Windows1251 = &Charset{name: "windows-1251", table: &table{list: 19}}
	Windows1252 = &Charset{name: "windows-1252", table: &table{list: 20}}
	Windows1253 = &Charset{name: "windows-1253", table: &table{list: 21}}
	Windows1254 = &Charset{name: "windows-1254", table: &table{list: 22}}
	Windows1255 = &Charset{name: "windows-1255", table: &table{list: 23}}
	Windows1256 = &Charset{name: "windows-1256", table: &table{list: 24}}
	Windows874  = &Charset{name: "windows-874", table: &table{list: 27}}
)

// all are the encodings that have names: those above, and the others of the web.
var all = []*Charset{
	GBK, GB18030, Big5, ShiftJIS, EUCJP, ISO2022JP, EUCKR, IBM866, ISO88592, ISO88595, KOI8R, Macintosh,
	Windows1250, Windows1251, Windows1252, Windows1253, Windows1254, Windows1255, Windows1256, Windows874,
	{name: "iso-8859-3", table: &table{list: 3}},
	{name: "iso-8859-4", table: &table{list: 4}},
	{name: "iso-8859-6", table: &table{list: 6}},
	{name: "iso-8859-7", table: &table{list: 7}},
	{name: "iso-8859-8", table: &table{list: 8}},
	{name: "iso-8859-8-i", table: &table{list: 9}},
	{name: "iso-8859-10", table: &table{list: 10}},
	{name: "iso-8859-13", table: &table{list: 11}},
	{name: "iso-8859-14", table: &table{list: 12}},
	{name: "iso-8859-15", table: &table{list: 13}},
	{name: "iso-8859-16", table: &table{list: 14}},
	{name: "koi8-u", table: &table{list: 16}},
	{name: "windows-1257", table: &table{list: 25}},
	{name: "windows-1258", table: &table{list: 26}},
	{name: "x-mac-cyrillic", table: &table{list: 28}},
	{name: "x-user-defined", table: &table{list: 29}},
}
