// Package tokens counts what a text costs a model, in tokens of OpenAI's o200k vocabulary. Other
// models' counts differ by some tenths.
//
// The vocabulary stands compressed in the program, 0.7 MB of it; a library that embeds it as Go
// code weighs 8 MB, more than the program has room for. It is unpacked when the first text is
// counted.
package tokens

import (
	_ "embed"
	"math"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"helve/internal/packed"
)

// vocabulary is packed by zstd. It holds the tokens in the order of their ranks: first the 256 bytes, then each token
// as the ranks of two before it that make it when they are joined. Both ranks have three bytes, and equal bytes of
// all tokens stand together: the lowest of the first ranks, the middle ones, the highest; then those of the second.
//
//go:embed o200k.zst
var vocabulary []byte

var ranks = sync.OnceValue(func() map[string]int {
	raw := packed.Bytes(vocabulary)
	bytes, pairs := raw[:256], raw[256:]
	n := len(pairs) / 6
	rank := func(column, i int) int {
		c := pairs[column*n:]
		return int(c[i]) | int(c[n+i])<<8 | int(c[2*n+i])<<16
	}
	tokens := make([]string, 0, 256+n)
	for i := range bytes {
		tokens = append(tokens, string(bytes[i:i+1]))
	}
	for i := range n {
		tokens = append(tokens, tokens[rank(0, i)]+tokens[rank(3, i)])
	}
	out := make(map[string]int, len(tokens))
	for i, t := range tokens {
		out[t] = i
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
