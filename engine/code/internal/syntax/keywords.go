package syntax

import "strings"

// word is a keyword's number in its language; 0 is an ordinary name.
type word uint8

// The words that readers ask for. One list serves all languages: a language knows those that its own table names.
const (
	noWord word = iota
	wBuiltin
	wSkip // a modifier or operator that says nothing about structure
	wValue
	wFunc
	wClass
	wStruct
	wInterface
	wEnum
	wUnion
	wType
	wVar
	wConst
	wLet
	wIf
	wElse
	wFor
	wWhile
	wDo
	wSwitch
	wSelect
	wCase
	wDefault
	wReturn
	wGo
	wDefer
	wRange
	wMap
	wChan
	wBreak
	wContinue
	wGoto
	wFallthrough
	wPackage
	wImport
	wFrom
	wAs
	wExport
	wExtends
	wImplements
	wNew
	wThis
	wSuper
	wAsync
	wAwait
	wWith
	wIn
	wIs
	wNot
	wTry
	wCatch
	wFinally
	wThrow
	wLambda
	wGet
	wSet
	wStatic
	wModule
	wUse
	wImpl
	wTrait
	wWhere
	wMut
	wRef
	wPub
	wMatch
	wTypedef
	wExtern
	wOperator
	wTemplate
	wUsing
	wEnd
	wBegin
	wThen
	wDecl // static, inline, const, public …: may stand before a declaration
	wPrim // a primitive type
	wMake
	wAppend
	wDel
	wGlobal
	wRecord
	wObject
	wExtension
	wInit
	wThrows
	wAnnotation
	wUnless
	wUntil
	wAlias
	wMacro
	wTypename
	wAttribute
	wFriend
	wGuard
	wProtocol
	wFi
	wDone
	wEsac
)

// keywords finds the word of a name by its hash. It is filled once and only read afterwards.
type keywords struct {
	slots [512]struct {
		text string
		hash uint32
		word word
	}
}

// words makes a table of "word word word" lists.
func words(lists map[word]string) *keywords {
	k := &keywords{}
	for w, list := range lists {
		for _, text := range strings.Fields(list) {
			h := hashString(text)
			i := spread(h) & 511
			for k.slots[i].text != "" {
				i = (i + 1) & 511
			}
			k.slots[i].text, k.slots[i].hash, k.slots[i].word = text, h, w
		}
	}
	return k
}

func (k *keywords) find(b []byte, h uint32) word {
	for i := spread(h) & 511; ; i = (i + 1) & 511 {
		s := &k.slots[i]
		if s.text == "" {
			return noWord
		}
		if s.hash == h && s.text == string(b) {
			return s.word
		}
	}
}
