package lex

import "strings"

// Word is a keyword's number in its language; 0 is an ordinary name.
type Word uint8

// The words that readers ask for. One list serves all languages: a language knows those that its own table names.
const (
	NoWord Word = iota
	Builtin
	Skip // a modifier or operator that says nothing about structure
	Value
	Func
	Class
	Struct
	Interface
	Enum
	Union
	Type
	Var
	Const
	Let
	If
	Else
	For
	While
	Do
	Switch
	Select
	Case
	Default
	Return
	Go
	Defer
	Range
	Map
	Chan
	Break
	Continue
	Goto
	Fallthrough
	Package
	Import
	From
	As
	Export
	Extends
	Implements
	New
	This
	Super
	Async
	Await
	With
	In
	Is
	Not
	Try
	Catch
	Finally
	Throw
	Lambda
	Get
	Set
	Static
	Module
	Use
	Impl
	Trait
	Where
	Mut
	Ref
	Pub
	Match
	Typedef
	Extern
	Operator
	Template
	Using
	End
	Begin
	Then
	Decl // static, inline, const, public …: may stand before a declaration
	Prim // a primitive type
	Make
	Append
	Del
	Global
	Record
	Object
	Extension
	Init
	Throws
	Annotation
	Unless
	Until
	Alias
	Macro
	Typename
	Attribute
	Friend
	Guard
	Protocol
	Fi
	Done
	Esac
)

// Keywords finds the word of a name by its hash. It is filled once and only read afterwards.
type Keywords struct {
	slots [512]struct {
		text string
		hash uint32
		Word Word
	}
}

// NewKeywords makes a table of "word word word" lists.
func NewKeywords(lists map[Word]string) *Keywords {
	k := &Keywords{}
	for w, list := range lists {
		for _, text := range strings.Fields(list) {
			h := HashString(text)
			i := Spread(h) & 511
			for k.slots[i].text != "" {
				i = (i + 1) & 511
			}
			k.slots[i].text, k.slots[i].hash, k.slots[i].Word = text, h, w
		}
	}
	return k
}

func (k *Keywords) Find(b []byte, h uint32) Word {
	for i := Spread(h) & 511; ; i = (i + 1) & 511 {
		s := &k.slots[i]
		if s.text == "" {
			return NoWord
		}
		if s.hash == h && s.text == string(b) {
			return s.Word
		}
	}
}
