package lex

import "strings"

// ruby cuts what means several things there: a character says by what stands before it which one is meant.
type ruby struct{ *Lexer }

// RubySpecial is Dialect.Special of Ruby.
func RubySpecial(l *Lexer, i int) int { return ruby{l}.special(i) }

func (l ruby) special(i int) int {
	switch l.src[i] {
	case '#':
		return l.lineComment(i)
	case '=':
		if l.nl && l.at(i, "=begin") && (i == 0 || l.src[i-1] == '\n') {
			return l.comment(i)
		}
		return l.operator(i)
	case '<':
		return l.announce(i)
	case '%':
		return l.percent(i)
	case '?':
		return l.mark(i)
	case '!':
		if l.adjacentName(i) && !l.at(i+1, "=") {
			return l.extendName(i) // save!
		}
		return l.operator(i)
	case ':':
		return l.symbol(i)
	case '`':
		if t := l.last(); t != nil && t.Word == Func {
			return l.operator(i) // def `(command)
		}
		return l.holed(i, i+1, '`', "#{")
	}
	return l.text(i)
}

// text reads "…", which may span lines.
func (l ruby) text(i int) int {
	j := i + 1
	for {
		j = l.holedEnd(j, '"', "#{", 0)
		closed := l.src[j-1] == '"' && j-1 > i
		if closed || !l.at(j, "\n") {
			break
		}
		j++
	}
	l.skipped(i, j)
	return l.str(i, j, '"')
}

// symbol reads :name and the colon of name: for both of which a keyword is a name like others.
func (l ruby) symbol(i int) int {
	if l.at(i, "::") {
		return l.operator(i)
	}
	t := l.last()
	adjacent := t != nil && int(t.End) == i
	if adjacent && t.Kind == Name { // name:
		t.Word = NoWord
		return l.operator(i)
	}
	named := i+1 < len(l.src) && l.Dialect.Class[l.src[i+1]] == BeginsName
	if adjacent && (t.Kind != Punct || t.Char == ')' || t.Char == ']') { // a ?"x":y
		named = false
	}
	if !named {
		return l.operator(i)
	}
	l.punct(i, 1, ':')
	end := l.name(i + 1)
	l.last().Word = NoWord
	return end
}

// adjacentName reports whether a name ends at i.
func (l ruby) adjacentName(i int) bool {
	t := l.last()
	return t != nil && t.Kind == Name && t.Word == NoWord && int(t.End) == i
}

// extendName makes the byte at i the last one of the name before it.
func (l ruby) extendName(i int) int {
	t := l.last()
	t.End++
	t.Aux = (t.Aux ^ uint32(l.src[i])) * hashPrime
	return i + 1
}

// mark tells empty? from ?a and from the operator.
func (l ruby) mark(i int) int {
	src := l.src
	if l.adjacentName(i) && i+1 < len(src) && (src[i+1] != ':' || l.at(i+1, "::")) {
		return l.extendName(i)
	}
	if l.operandNext() && i+2 < len(src) && src[i+1] > ' ' && l.Dialect.Class[src[i+2]] != BeginsName {
		return l.str(i, i+2, '\'')
	}
	return l.operator(i)
}

// comment passes =begin … =end.
func (l ruby) comment(i int) int {
	j := l.lineEnd(Find(l.src, i, "\n=end"))
	l.skipped(i, j)
	return j
}

// announce reads <<~TEXT, <<-TEXT and <<TEXT, whose text begins on the next line, and the operator <<.
func (l ruby) announce(i int) int {
	j := i + 2
	if !l.at(i, "<<") || j >= len(l.src) {
		return l.operator(i)
	}
	indent := l.at(j, "-") || l.at(j, "~")
	if indent {
		j++
	}
	if l.at(j, " ") {
		return l.punct(i, 2, '<')
	}
	word, end := l.docWord(j)
	lower := j < len(l.src) && l.src[j] >= 'a' && l.src[j] <= 'z'
	if word == "" || !indent && (lower || !l.operandNext()) {
		return l.punct(i, 2, '<') // x << y
	}
	l.docs = append(l.docs, heredoc{word, indent})
	return l.str(i, end, '"')
}

// percent reads %w[…], %q(…), %(…) and their kin.
func (l ruby) percent(i int) int {
	src := l.src
	j := i + 1
	if j < len(src) && strings.IndexByte("wWqQiIrsx", src[j]) >= 0 {
		j++
	}
	if j >= len(src) || !l.operandNext() || strings.IndexByte("([{<|!/", src[j]) < 0 {
		return l.operator(i)
	}
	end := l.percentEnd(j)
	l.skipped(i, end)
	return l.str(i, end, '"')
}

// percentEnd is the offset behind the bracket, or other character, that ends what the one at i begins.
func (l ruby) percentEnd(i int) int {
	src, depth := l.src, 0
	open := src[i]
	shut := ClosingOf(open)
	for j := i + 1; j < len(src); j++ {
		switch {
		case src[j] == '\\':
			j++
		case src[j] == shut && depth == 0:
			return j + 1
		case src[j] == shut:
			depth--
		case src[j] == open:
			depth++
		}
	}
	return len(src)
}
