// Package syntax reads the structure of one source file: what it defines, what it refers to, what it imports.
//
// It knows thirteen programming languages, the headings of Markdown and the keys of JSON and YAML. It builds no
// syntax tree: a fast lexer cuts the file into tokens and pairs its brackets, and one small recursive reader per
// language walks them once. That costs 10–20 ns a byte, and it survives files that do not parse: what was understood
// before and after a mistake is kept. A reader is linear in its input, and recursion is bounded (see MaxDepth), so no
// file can make it run away.
//
// A reference carries the expression that stands before its name, with local variables replaced by what is known of
// their type. Package code evaluates these expressions over the whole project; see Reference.Qualifier.
package syntax
