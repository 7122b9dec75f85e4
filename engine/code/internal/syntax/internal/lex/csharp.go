package lex

// csharp passes the lines of the preprocessor and reads the forms of strings.
type csharp struct{ *Lexer }

// CSharpSpecial is Dialect.Special of C#.
func CSharpSpecial(l *Lexer, i int) int { return csharp{l}.special(i) }

func (l csharp) special(i int) int {
	switch l.src[i] {
	case '#':
		if l.nl {
			return l.lineComment(i)
		}
		return i
	case '@', '$':
		return l.prefixes(i)
	}
	if l.at(i, `"""`) {
		return l.quotes(i, i)
	}
	return l.holed(i, i+1, '"', "")
}

// prefixes reads @"…", $"…", $@"…", $"""…""" and @name.
func (l csharp) prefixes(i int) int {
	j, verbatim, holes := i, false, false
	for ; l.at(j, "@") || l.at(j, "$"); j++ {
		verbatim = verbatim || l.src[j] == '@'
		holes = holes || l.src[j] == '$'
	}
	switch {
	case !verbatim && l.at(j, `"""`):
		return l.quotes(i, j)
	case verbatim && l.at(j, `"`):
		return l.verbatim(i, j+1)
	case holes && l.at(j, `"`):
		return l.holed(i, j+1, '"', "{")
	case verbatim && j < len(l.src) && l.Dialect.Class[l.src[j]] == BeginsName:
		j = l.name(j)
		l.last().Word = NoWord
		return j
	}
	return i
}

// quotes reads a string between three or more quotes, which stand at i. It begins at start.
func (l csharp) quotes(start, i int) int {
	n := i
	for l.at(n, `"`) {
		n++
	}
	return l.Raw(start, n, string(l.src[i:n]), '"')
}

// verbatim reads text from j to the quote that is not doubled.
func (l csharp) verbatim(start, j int) int {
	for ; j < len(l.src); j++ {
		if l.src[j] != '"' {
			continue
		}
		if !l.at(j, `""`) {
			j++
			break
		}
		j++
	}
	j = min(j, len(l.src))
	l.skipped(start, j)
	return l.str(start, j, '"')
}
