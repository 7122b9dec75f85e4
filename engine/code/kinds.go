package code

import "helve/engine/code/internal/syntax"

// What a reader of source says of a definition, a reference or a file. The readers stand below this package; these
// are their words as far as answers hold them.
type (
	// Kind says what a definition defines: a function, a class, a field …
	Kind = syntax.Kind
	// Use says how a reference uses its name: it calls, mentions or inherits.
	Use = syntax.Use
	// Language is a language whose files are read.
	Language = syntax.Language
	// Import is a file's import as it stands there.
	Import = syntax.Import
)

// The kinds of definitions. Function to Constructor are callable, Class to Alias are types.
const (
	Function    = syntax.Function
	Method      = syntax.Method
	Constructor = syntax.Constructor
	Class       = syntax.Class
	Struct      = syntax.Struct
	Interface   = syntax.Interface
	Enum        = syntax.Enum
	Union       = syntax.Union
	Alias       = syntax.Alias
	Variable    = syntax.Variable
	Constant    = syntax.Constant
	Field       = syntax.Field
	Member      = syntax.Member
	Macro       = syntax.Macro
	Module      = syntax.Module
)

// The uses of a name.
const (
	Call    = syntax.Call
	Mention = syntax.Mention
	Inherit = syntax.Inherit

	Implement = syntax.Implement
	Override  = syntax.Override
)

// The languages that are read by a reader of their own.
const (
	Go         = syntax.Go
	Python     = syntax.Python
	JavaScript = syntax.JavaScript
	TypeScript = syntax.TypeScript
	Rust       = syntax.Rust
	Java       = syntax.Java
	C          = syntax.C
	CPlusPlus  = syntax.CPlusPlus
	CSharp     = syntax.CSharp
	Ruby       = syntax.Ruby
	PHP        = syntax.PHP
	Kotlin     = syntax.Kotlin
	Swift      = syntax.Swift
	Shell      = syntax.Shell
)

// LanguageOf names the language of a file by its path, and for a file without an extension by its first line (head,
// which may be nil).
func LanguageOf(path string, head []byte) Language { return syntax.Of(path, head) }
