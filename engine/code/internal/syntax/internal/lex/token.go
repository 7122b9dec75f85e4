package lex

// Kind says what a token is.
type Kind uint8

const (
	EOF  Kind = iota // behind the last token of a file
	Name             // a name or a keyword
	Number
	String
	Punct     // a bracket, or an operator of one character or of those below
	Directive // a line of the C preprocessor
	Text      // text between the code: HTML around PHP
)

// Operators of two and more characters that readers ask for as one token, beyond the range of ASCII. All others come
// byte by byte: a << b are the tokens a < < b.
const (
	OpDefine   = 128 + iota // :=
	OpArrow                 // ->
	OpFat                   // =>
	OpScope                 // ::
	OpDots                  // ...  ..  ..=  ..<
	OpCompare               // == != <= >= === !==
	OpLogic                 // && || ??
	OpAssign                // += -= and the like
	OpOptional              // ?.  ?->
	OpRecv                  // <-
	OpNotNull               // !!
)

// Token is one token of a file. A file of a million tokens must fit into memory some times over, so it has 16 bytes.
type Token struct {
	// Start and end are the byte offsets of its text.
	Start, End int32
	// Aux is for a bracket the index of its partner, for a name its hash.
	Aux   uint32
	Kind  Kind
	Word  Word // of a name: which keyword it is, or NoWord
	Char  byte // of a Punct: the character or an op constant; of a String: its opening quote
	First bool // whether it is the first token of its line
}

// operator is one that the lexer joins of several characters.
type operator struct {
	text string
	ch   byte
}

// operators lists them by their first byte; the longer ones stand before those that they begin with.
var operators = [128][]operator{
	'.': {{"...", OpDots}, {"..=", OpDots}, {"..<", OpDots}, {"..", OpDots}, {".=", OpAssign}},
	'=': {{"===", OpCompare}, {"==", OpCompare}, {"=>", OpFat}},
	'!': {{"!==", OpCompare}, {"!=", OpCompare}, {"!!", OpNotNull}},
	'<': {{"<==", OpCompare}, {"<=", OpCompare}, {"<-", OpRecv}},
	'>': {{">==", OpCompare}, {">=", OpCompare}},
	'&': {{"&&=", OpAssign}, {"&&", OpLogic}, {"&=", OpAssign}},
	'|': {{"||=", OpAssign}, {"||", OpLogic}, {"|=", OpAssign}},
	'?': {{"??=", OpAssign}, {"??", OpLogic}, {"?->", OpOptional}, {"?.", OpOptional}},
	':': {{"::", OpScope}, {":=", OpDefine}},
	'-': {{"->", OpArrow}, {"-=", OpAssign}},
	'+': {{"+=", OpAssign}},
	'*': {{"*=", OpAssign}},
	'/': {{"/=", OpAssign}},
	'%': {{"%=", OpAssign}},
	'^': {{"^=", OpAssign}},
	'`': {{"`=", OpAssign}},
}

// secondBytes are the bytes that can stand second in an operator. Most characters are followed by none of them.
var secondBytes = [256]bool{
	'.': true, '=': true, '>': true, '!': true, '-': true, '&': true, '|': true, '?': true, ':': true,
}

// Closes reports whether the token is a closing bracket.
func (t *Token) Closes() bool {
	return t.Kind == Punct && (t.Char == ')' || t.Char == ']' || t.Char == '}')
}

// Is reports whether the token is the operator or bracket ch.
func (t *Token) Is(ch byte) bool { return t.Kind == Punct && t.Char == ch }

// Name reports whether the token is a name and no keyword.
func (t *Token) Name() bool { return t.Kind == Name && t.Word == NoWord }

// Opens reports whether the token is an opening bracket.
func (t *Token) Opens() bool {
	return t.Kind == Punct && (t.Char == '(' || t.Char == '[' || t.Char == '{')
}
