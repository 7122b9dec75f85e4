package shell

import (
	"encoding/base64"
	"slices"
	"strings"
)

// option reports a word that most programs take for one.
func option(s string) bool { return strings.HasPrefix(s, "-") }

// withoutOptions drops options, and a lone dash, which is what the command reads anyway.
func withoutOptions(words []string) []string { return slices.DeleteFunc(slices.Clone(words), option) }

// echoed is what bash's echo prints.
func echoed(words []string) string {
	escapes := false
	for len(words) > 0 {
		switch words[0] {
		case "-e", "-ne", "-en":
			escapes = true
		case "-n":
		default:
			return unescapeIf(escapes, strings.Join(words, " ")+"\n")
		}
		words = words[1:]
	}
	return "\n"
}

// unescapeIf decodes what echo -e would. The escapes of $'…' are nearly the same.
func unescapeIf(escapes bool, text string) string {
	if !escapes {
		return text
	}
	text, _, _ = unescapeANSI(text)
	return text
}

// formatted is printf's output, near enough: the words in place of the directives, the format again while words are
// left.
func formatted(words []string) string {
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		return ""
	}
	format, _, _ := unescapeANSI(words[0])
	words = words[1:]
	var b strings.Builder
	for {
		used := 0
		for i := 0; i < len(format); i++ {
			switch {
			case format[i] != '%' || i+1 == len(format):
				b.WriteByte(format[i])
			case format[i+1] == '%':
				b.WriteByte('%')
				i++
			default:
				i++
				if used < len(words) {
					b.WriteString(words[used])
				}
				used++
			}
		}
		if used == 0 || used >= len(words) {
			return b.String()
		}
		words = words[used:]
	}
}

// filtered is the output of commands that pass on what they read.
func filtered(a args, input string, fed bool) (string, bool) {
	if !fed {
		return "", false
	}
	p := a.program()
	if p == "tee" { // whatever files it writes, too
		return input, true
	}
	if len(withoutOptions(a.texts[1:])) > 0 {
		return "", false // it reads files
	}
	switch p {
	case "cat":
		return input, true
	case "base64":
		decodes := func(t string) bool { return t == "-d" || t == "-D" || t == "--decode" }
		if !slices.ContainsFunc(a.texts, decodes) {
			return "", false
		}
		joined := strings.Join(strings.Fields(input), "")
		out, err := base64.StdEncoding.DecodeString(joined)
		return string(out), err == nil
	case "rev": // a way around lists of forbidden words
		return reversed(input), true
	}
	return "", false
}

// reversed turns every line around.
func reversed(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		r := []rune(line)
		slices.Reverse(r)
		lines[i] = string(r)
	}
	return strings.Join(lines, "\n")
}
