package syntax

import (
	"bytes"
	"path"
	"strings"
)

// Language is a language whose files are read.
type Language uint8

// The languages. Unknown files get definitions guessed from their shape, if they are text at all.
const (
	Unknown Language = iota
	Go
	Python
	JavaScript
	TypeScript
	Rust
	Java
	C
	CPlusPlus
	CSharp
	Ruby
	PHP
	Kotlin
	Swift
	Shell
	Markdown
	JSON
	YAML
	languages
)

var languageNames = [languages]string{
	Unknown:    "unknown",
	Go:         "Go",
	Python:     "Python",
	JavaScript: "JavaScript",
	TypeScript: "TypeScript",
	Rust:       "Rust",
	Java:       "Java",
	C:          "C",
	CPlusPlus:  "C++",
	CSharp:     "C#",
	Ruby:       "Ruby",
	PHP:        "PHP",
	Kotlin:     "Kotlin",
	Swift:      "Swift",
	Shell:      "shell",
	Markdown:   "Markdown",
	JSON:       "JSON",
	YAML:       "YAML",
}

// String is the language's usual name.
func (l Language) String() string {
	if l < languages {
		return languageNames[l]
	}
	return languageNames[Unknown]
}

// Traits are how the files of a language hold what they define: who keeps what was read of them asks for it. What names
// mean there, package meaning says.
type Traits struct {
	Family Language // whose files call files of this one, and are called by them; Unknown: only its own do
	// FolderFile is the stem of a file that stands for its folder: imports name that one.
	FolderFile string

	Folders     bool // the files of a folder are one package, and none is a unit of its own
	Packages    bool // imports name packages that files declare
	LooseTests  bool // a folder called test also holds libraries
	Prototypes  bool // functions are declared apart from their bodies
	Headers     bool // one file declares what another defines
	Namespaces  bool // a definition may leave out the namespaces that its declaration stands in
	Enumerators bool // the members of an enumeration are named alone
	Declarators bool // one declaration defines a type and names of it: struct pair {…} one, *two
}

var traits = [languages]Traits{
	Go:         {Folders: true},
	Python:     {FolderFile: "__init__", LooseTests: true},
	JavaScript: {Prototypes: true},
	TypeScript: {Prototypes: true, Family: JavaScript},
	Rust:       {FolderFile: "mod"},
	Java:       {Packages: true},
	Kotlin:     {Packages: true, Family: Java},
	CSharp:     {Packages: true},
	PHP:        {Packages: true},
	C:          {Prototypes: true, Headers: true, Enumerators: true, Declarators: true},
	CPlusPlus: {
		Prototypes: true, Headers: true, Enumerators: true, Declarators: true, Namespaces: true,
		Family: C,
	},
}

// Traits are those of the language. They are not to be changed.
func (l Language) Traits() *Traits {
	if l < languages {
		return &traits[l]
	}
	return &traits[Unknown]
}

// Family groups languages whose files call one another: it is one of them.
func (l Language) Family() Language {
	if f := l.Traits().Family; f != Unknown {
		return f
	}
	return l
}

// Code reports whether files in this language hold functions and types, rather than prose or data.
func (l Language) Code() bool { return l > Unknown && l < Markdown }

var byExtension = map[string]Language{
	".go": Go, ".py": Python, ".pyi": Python, ".pyw": Python,
	".js": JavaScript, ".mjs": JavaScript, ".cjs": JavaScript, ".jsx": JavaScript,
	".ts": TypeScript, ".tsx": TypeScript, ".mts": TypeScript, ".cts": TypeScript,
	".rs": Rust, ".java": Java, ".c": C, ".h": C,
	".cc": CPlusPlus, ".cpp": CPlusPlus, ".cxx": CPlusPlus, ".c++": CPlusPlus, ".hh": CPlusPlus, ".hpp": CPlusPlus,
	".hxx": CPlusPlus, ".ipp": CPlusPlus, ".tpp": CPlusPlus, ".inl": CPlusPlus, ".cu": CPlusPlus, ".cuh": CPlusPlus,
	".cs": CSharp, ".rb": Ruby, ".rake": Ruby, ".gemspec": Ruby,
	".php": PHP, ".phtml": PHP, ".kt": Kotlin, ".kts": Kotlin, ".swift": Swift,
	".sh": Shell, ".bash": Shell, ".zsh": Shell, ".ksh": Shell, ".bats": Shell,
	".md": Markdown, ".markdown": Markdown, ".json": JSON, ".jsonc": JSON, ".yaml": YAML, ".yml": YAML,
}

var byName = map[string]Language{"Rakefile": Ruby, "Gemfile": Ruby, "go.mod": Unknown}

// guessed are the extensions of languages that have no reader of their own but whose shape is worth a guess.
var guessed = map[string]bool{
	".scala": true, ".lua": true, ".pl": true, ".pm": true, ".r": true, ".jl": true, ".ex": true, ".exs": true, ".erl": true,
	".hs": true, ".ml": true, ".dart": true, ".zig": true, ".nim": true, ".groovy": true, ".gradle": true, ".m": true, ".mm": true,
	".vue": true, ".svelte": true, ".proto": true, ".sql": true, ".d": true, ".v": true, ".sv": true, ".tcl": true, ".fs": true,
	".clj": true, ".el": true, ".lisp": true, ".cr": true, ".sol": true, ".graphql": true, ".awk": true, ".f90": true, ".pas": true, ".s": true,
}

// Of names the language of a file by its path, and for a file without an extension by its first line. head may be nil.
func Of(name string, head []byte) Language {
	base := path.Base(name)
	if l, ok := byName[base]; ok {
		return l
	}
	ext := path.Ext(base)
	if l, ok := byExtension[ext]; ok {
		return l
	}
	if l, ok := byExtension[strings.ToLower(ext)]; ok {
		return l
	}
	if ext == "" && bytes.HasPrefix(head, []byte("#!")) {
		return ofInterpreter(head)
	}
	return Unknown
}

// Readable reports whether a file of this path may hold structure: whether it is worth opening. A file without an
// extension may be a script.
func Readable(name string) bool {
	base := path.Base(name)
	if base == "go.mod" {
		return true
	}
	ext := strings.ToLower(path.Ext(base))
	return Of(name, nil) != Unknown || guessed[ext] || ext == "" && !strings.HasPrefix(base, ".")
}

var interpreters = []struct {
	word string
	lang Language
}{{"python", Python}, {"node", JavaScript}, {"deno", TypeScript}, {"bun", TypeScript}, {"ruby", Ruby}, {"php", PHP},
	{"bash", Shell}, {"zsh", Shell}, {"ksh", Shell}, {"dash", Shell}, {"/sh", Shell}, {" sh", Shell}}

func ofInterpreter(head []byte) Language {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	for _, p := range interpreters {
		if bytes.Contains(line, []byte(p.word)) {
			return p.lang
		}
	}
	return Unknown
}

// cPlusPlusMarks tell a C++ header from a C header: lines that C has no use for.
var cPlusPlusMarks = [][]byte{[]byte("\nnamespace "), []byte("\ntemplate"), []byte("\nclass "), []byte("public:"), []byte("std::"), []byte("\nusing ")}

func isCPlusPlus(src []byte) bool {
	head := src[:min(len(src), 64<<10)]
	for _, m := range cPlusPlusMarks {
		if bytes.Contains(head, m) {
			return true
		}
	}
	return false
}

// Guessed reports whether definitions are guessed in a file of this path: its language has no reader of its own.
func Guessed(name string) bool { return guessed[strings.ToLower(path.Ext(name))] }
