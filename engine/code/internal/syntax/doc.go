// Package syntax reads the structure of one source file: what it defines, what it refers to, what it imports.
//
// It knows thirteen programming languages, the headings of Markdown and the keys of JSON and YAML. It builds no
// syntax tree: a fast lexer cuts the file into tokens and pairs its brackets, and one small recursive reader per
// language walks them once. That costs 10–20 ns a byte, and it survives files that do not parse: what was understood
// before and after a mistake is kept. A reader is linear in its input, and recursion is bounded (see MaxDepth), so no
// file can make it run away.
//
// # Where to find what
//
// The files of a language begin with its name: golang, python, rust, kotlin, swift, ecma (JavaScript and TypeScript),
// c (also C++), java, csharp, php, ruby, shell, markdown, json (also YAML); LANG.go has its words and what its reader
// remembers. Package lex below has the tokens and the lexer; in its LANG.go stands what only this language does with
// characters. What several languages share is named for what it is: the cursor, the expression stack with the local
// names, the reader, the rows that it adds, the curly bodies. On top of all, read.go reads a file in its language, and
// sites.go says what the last one has of a name. testdata/LANG holds sources, each beside what is read from it: the
// quickest way to see what a reader does.
//
// # How a reader works
//
// A reader is a cursor that moves through the tokens of a file. Each of its methods reads one construct: it begins
// with the cursor before the construct, leaves it behind, and adds rows on the way. A method that meets something
// else leaves the cursor where it is, and whoever called it passes one token, so that every loop goes on. Brackets
// are paired before a reader runs: it enters them (open, shut), cannot see behind their end while it is in them, and
// can jump over them.
//
// Rows are definitions, references and imports. A definition is added when its name is read (define) and gets its end
// when it has been read (finish). In between it is the current one, to which references belong (within).
//
// # The expression stack
//
// To say which Close is meant by c.Close(), one has to know what c is. A reader knows the file only, so it says what
// it knows as a symbolic expression, and package code evaluates that over the whole project: Pool.conns[] is an
// element of the field conns of Pool, wherever Pool is defined. Reference.Qualifier has the grammar.
//
// While an expression of the source is read, what is known of its type stands at the end of a buffer, the expression
// stack. Take
//
//	func (p *Pool) Get(n int) {
//		c := p.conns[n]
//		c.Close()
//	}
//
// p is bound to Pool as the function begins. Then the stack grows and shrinks like this:
//
//	read     stack            and
//	p        Pool             a local name: its type stands for it
//	.conns   Pool.conns       a reference to conns with the qualifier Pool
//	[n]      Pool.conns[]     n is read above it, and dropped
//	c :=                      popped: c is bound to Pool.conns[]
//	c        Pool.conns[]     a local name again
//	.Close   Pool.conns[].Close   a reference to Close with the qualifier Pool.conns[]
//	()       Pool.conns[].Close()
//	;                         dropped: nobody wants the type of the statement
//
// A method that reads an expression pushes exactly one. Its caller has noted where it begins (top), and then pops it
// to keep it as the type of a name, drops it, or goes on behind it. What is not understood is "?", and whatever is
// asked of that is "?" again; an expression that grows too long becomes "?" as well (see maxExpr).
//
// # How to add a language
//
// Name it in language.go with its extensions. Write a dialect (which words are keywords, what strings and comments
// look like) and a reader in files of its name; a language with curly brackets begins with curly, which reads bodies
// and expressions once it is told what a declaration looks like. Put sources into testdata/LANG, run the tests with
// -update, and read what was understood line by line. Compare it with another tool on a project that you did not
// write it with (scripts/score-code does that with ctags), add a fuzz target, and say in docs/code.md how right it
// is.
package syntax
