package child

import (
	"errors"

	"go.starlark.net/starlark"
)

// errUnknown ends a dry pass: the script looks at what a call would bring.
var errUnknown = errors.New("the value is not known before the call is made")

// unknown is what a call brings in a dry pass. A script can carry it around and give it to nobody.
type unknown struct{}

var (
	_ starlark.HasAttrs = unknown{}
	_ starlark.Mapping  = unknown{}
)

func (unknown) String() string                                   { panic(errUnknown) }
func (unknown) Type() string                                     { return "unknown" }
func (unknown) Freeze()                                          {}
func (unknown) Truth() starlark.Bool                             { panic(errUnknown) }
func (unknown) Hash() (uint32, error)                            { return 0, errUnknown }
func (unknown) Attr(string) (starlark.Value, error)              { return nil, errUnknown }
func (unknown) AttrNames() []string                              { return nil }
func (unknown) Get(starlark.Value) (starlark.Value, bool, error) { return nil, false, errUnknown }

// recovered is the error of a panic: of a value that is not known, or a mistake of the interpreter.
func recovered(p any) error {
	if err, ok := p.(error); ok && errors.Is(err, errUnknown) {
		return errUnknown
	}
	panic(p)
}
