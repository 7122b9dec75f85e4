package syntax

// tokenKind says what a token is.
type tokenKind uint8

const (
	tEnd  tokenKind = iota // behind the last token of a file
	tName                  // a name or a keyword
	tNumber
	tString
	tPunct     // a bracket, or an operator of one character or of those below
	tDirective // a line of the C preprocessor
	tText      // text between the code: HTML around PHP
)

// Operators of two and more characters that readers ask for as one token, beyond the range of ASCII. All others come
// byte by byte: a << b are the tokens a < < b.
const (
	opDefine   = 128 + iota // :=
	opArrow                 // ->
	opFat                   // =>
	opScope                 // ::
	opDots                  // ...  ..  ..=  ..<
	opCompare               // == != <= >= === !==
	opLogic                 // && || ??
	opAssign                // += -= and the like
	opOptional              // ?.  ?->
	opRecv                  // <-
	opNotNull               // !!
)

// token is one token of a file. A file of a million tokens must fit into memory some times over, so it has 16 bytes.
type token struct {
	// start and end are the byte offsets of its text.
	start, end int32
	// aux is for a bracket the index of its partner, for a name its hash.
	aux  uint32
	kind tokenKind
	word word // of a name: which keyword it is, or noWord
	ch   byte // of a tPunct: the character or an op constant; of a tString: its opening quote
	nl   bool // whether it is the first token of its line
}

// operator is one that the lexer joins of several characters.
type operator struct {
	text string
	ch   byte
}

// operators lists them by their first byte; the longer ones stand before those that they begin with.
var operators = [128][]operator{
	'.': {{"...", opDots}, {"..=", opDots}, {"..<", opDots}, {"..", opDots}, {".=", opAssign}},
	'=': {{"===", opCompare}, {"==", opCompare}, {"=>", opFat}},
	'!': {{"!==", opCompare}, {"!=", opCompare}, {"!!", opNotNull}},
	'<': {{"<==", opCompare}, {"<=", opCompare}, {"<-", opRecv}},
	'>': {{">==", opCompare}, {">=", opCompare}},
	'&': {{"&&=", opAssign}, {"&&", opLogic}, {"&=", opAssign}},
	'|': {{"||=", opAssign}, {"||", opLogic}, {"|=", opAssign}},
	'?': {{"??=", opAssign}, {"??", opLogic}, {"?->", opOptional}, {"?.", opOptional}},
	':': {{"::", opScope}, {":=", opDefine}},
	'-': {{"->", opArrow}, {"-=", opAssign}},
	'+': {{"+=", opAssign}},
	'*': {{"*=", opAssign}},
	'/': {{"/=", opAssign}},
	'%': {{"%=", opAssign}},
	'^': {{"^=", opAssign}},
	'`': {{"`=", opAssign}},
}

// secondBytes are the bytes that can stand second in an operator. Most characters are followed by none of them.
var secondBytes = [256]bool{
	'.': true, '=': true, '>': true, '!': true, '-': true, '&': true, '|': true, '?': true, ':': true,
}
