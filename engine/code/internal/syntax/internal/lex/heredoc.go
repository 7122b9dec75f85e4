package lex

import (
	"bytes"
	"strings"
)

// heredoc is text of a shell or of Ruby that begins on the next line and ends at a line that holds only word.
type heredoc struct {
	word   string
	indent bool // the last line may be indented
}

// heredocs passes the texts announced on the line before i.
func (l *Lexer) heredocs(i int) int {
	docs := l.docs
	l.docs = l.docs[:0]
	for _, d := range docs {
		i = l.heredoc(i, d)
	}
	l.nl = true
	return i
}

func (l *Lexer) heredoc(i int, d heredoc) int {
	for i < len(l.src) {
		end := l.lineEnd(i)
		if d.ends(l.src[i:end]) {
			return end
		}
		i = min(end+1, len(l.src))
		l.Lines = append(l.Lines, int32(i))
	}
	return i
}

func (d heredoc) ends(line []byte) bool {
	line = bytes.TrimSuffix(line, []byte("\r"))
	if d.indent {
		line = bytes.TrimLeft(line, " \t")
	}
	return string(line) == d.word
}

// maxDocWord bounds the word of a here-document: longer ones are no words.
const maxDocWord = 128

// docWord reads the word of a here-document at i, quoted or not, and answers the offset behind it. The word is empty
// when there is none.
func (l *Lexer) docWord(i int) (string, int) {
	src := l.src
	i = l.blanksEnd(i)
	if l.at(i, `\`) {
		i++
	}
	if i < len(src) && strings.IndexByte("\"'`", src[i]) >= 0 {
		return l.quotedWord(i)
	}
	j := i
	for j < len(src) && j-i < maxDocWord && (isLetter(src[j]) || src[j] >= '0' && src[j] <= '9' && j > i) {
		j++
	}
	return string(src[i:j]), j
}

// quotedWord reads the word between the quotes at i.
func (l *Lexer) quotedWord(i int) (string, int) {
	src := l.src
	j := i + 1
	for j < len(src) && src[j] != src[i] && src[j] != '\n' && j-i < maxDocWord {
		j++
	}
	if j >= len(src) || src[j] != src[i] {
		return "", i
	}
	return string(src[i+1 : j]), j + 1
}
