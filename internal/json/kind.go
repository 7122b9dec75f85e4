package json

// A Kind is the first byte of a value's spelling, '0' for all numbers. The zero Kind is that of no value.
type Kind byte

const (
	KindNull   Kind = 'n'
	KindFalse  Kind = 'f'
	KindTrue   Kind = 't'
	KindNumber Kind = '0'
	KindString Kind = '"'
	KindArray  Kind = '['
	KindObject Kind = '{'
)

// IsBool tells of true and false.
func (k Kind) IsBool() bool { return k == KindTrue || k == KindFalse }
