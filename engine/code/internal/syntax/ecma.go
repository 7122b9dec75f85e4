package syntax

import (
	"sync"

	"helve/engine/code/internal/syntax/internal/lex"
)

// ecmaReader reads JavaScript and TypeScript, with and without JSX.
type ecmaReader struct {
	curly
	class int32 // the class around the cursor, or noDef
	// fields are those of classes: one is defined where it is first assigned.
	fields map[member]int32

	typed  typedValue
	result Sym // of the function around the cursor, as it declares it

	documented bool            // comments say types
	doc        docComment      // before the function that is read next
	imports    map[string]bool // what comments took out of modules

	callback  callback // whose parameters are read
	callbacks string   // what parameters of the function that is read take
}

var (
	ecmaDialect = sync.OnceValue(func() *lex.Dialect { return newECMADialect("`#", lex.EcmaSpecial) })
	// elementDialect is for files that may hold JSX, where <T>x is an element and no type assertion.
	elementDialect = sync.OnceValue(func() *lex.Dialect { return newECMADialect("`#<", lex.ElementSpecial) })
)

func newECMADialect(special string, f func(*lex.Lexer, int) int) *lex.Dialect {
	d := lex.NewDialect(lex.NewKeywords(map[lex.Word]string{
		lex.Func: "function", lex.Class: "class", lex.Enum: "enum", lex.Var: "var", lex.Const: "const", lex.Let: "let",
		lex.Import: "import", lex.Export: "export", lex.Extends: "extends",
		lex.If: "if", lex.Else: "else", lex.For: "for", lex.While: "while", lex.Do: "do",
		lex.Switch: "switch", lex.Case: "case", lex.Default: "default",
		lex.Return: "return yield", lex.Break: "break continue debugger",
		lex.Try: "try", lex.Catch: "catch", lex.Finally: "finally", lex.Throw: "throw",
		lex.New: "new", lex.This: "this", lex.Super: "super", lex.Await: "await",
		lex.In: "in instanceof", lex.Del: "delete typeof void",
		lex.Value: "null undefined true false NaN Infinity",
	}), "'\"", special)
	d.Regex = true
	d.Special = f
	return d
}

// A callback is a function without a name that is an argument of a call. What its parameters are, the function that
// is called says: f(2,0) is parameter 0 of the function that f takes as argument 2.
type callback struct {
	of       Sym // what is called; 0: nothing is known
	argument int
	next     int // the parameter that is read next
}

// typedValue is the type that the declaration of a variable or field gives the value at a place.
type typedValue struct {
	at  pos
	typ Sym
}
