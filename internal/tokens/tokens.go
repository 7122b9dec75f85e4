// Package tokens counts what a text costs a model, in tokens of OpenAI's o200k vocabulary. Other
// models' counts differ by some tenths.
//
// The vocabulary stands compressed in the program, 0.8 MB of it; a library that embeds it as Go
// code weighs 8 MB, more than the program has room for. It is unpacked when the first text is
// counted, in about a tenth of a second.
package tokens

import (
	"compress/bzip2"
	_ "embed"
	"io"
	"math"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// vocabulary holds the tokens in the order of their ranks, each behind a byte with its length,
// packed by bzip2.
//
//go:embed o200k.bz2
var vocabulary string

var ranks = sync.OnceValue(func() map[string]int {
	raw, err := io.ReadAll(bzip2.NewReader(strings.NewReader(vocabulary)))
	if err != nil {
		panic("tokens: " + err.Error()) // the file is part of the program
	}
	out := make(map[string]int, 200_000)
	all := string(raw)
	for rank := 0; all != ""; rank++ {
		n := int(all[0])
		out[all[1:1+n]] = rank
		all = all[1+n:]
	}
	return out
})

// piece is what is tokenised by itself, but for white space that ends in none of these.
var piece = sync.OnceValue(func() *regexp.Regexp {
	const (
		upper = `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
		lower = `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
		ends  = `(?i:'s|'t|'re|'ve|'m|'ll|'d)?`
		space = `[\s\v\x{85}\p{Z}]`
	)
	return regexp.MustCompile(`^(?:` +
		`[^\r\n\p{L}\p{N}]?` + upper + `*` + lower + `+` + ends +
		`|[^\r\n\p{L}\p{N}]?` + upper + `+` + lower + `*` + ends +
		`|\p{N}{1,3}` +
		`| ?[^\s\v\x{85}\p{Z}\p{L}\p{N}]+[\r\n/]*` +
		`|` + space + `*[\r\n]+)`)
})

// Count is how many tokens the text has.
func Count(text string) int {
	r := ranks()
	n := 0
	for text != "" {
		size := next(text)
		if _, whole := r[text[:size]]; whole {
			n++
		} else {
			n += merge(text[:size], r)
		}
		text = text[size:]
	}
	return n
}

// next is the length of the first piece.
func next(s string) int {
	if at := piece().FindStringIndex(s); at != nil && at[1] > 0 {
		return at[1]
	}
	end := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsSpace(r) })
	if end < 0 {
		return len(s)
	}
	_, last := utf8.DecodeLastRuneInString(s[:end])
	if end > last { // the last blank goes with the word behind it
		return end - last
	}
	return max(end, 1)
}

// merge joins the bytes of a piece, the pair with the lowest rank first, until no pair is a token,
// and counts what is left.
func merge(s string, ranks map[string]int) int {
	starts := make([]int, len(s)+1)
	for i := range starts {
		starts[i] = i
	}
	for len(starts) > 2 {
		best, at := math.MaxInt, -1
		for i := 0; i+2 < len(starts); i++ {
			if r, ok := ranks[s[starts[i]:starts[i+2]]]; ok && r < best {
				best, at = r, i
			}
		}
		if at < 0 {
			break
		}
		starts = append(starts[:at+1], starts[at+2:]...)
	}
	return len(starts) - 1
}
