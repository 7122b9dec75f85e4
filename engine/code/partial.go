package code

import (
	"context"
	"sort"
	"strings"
	"unicode"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
)

// maxPartNames is how many names that a pattern matches have their definitions looked at: the most used ones.
const maxPartNames = 400

// partly are the definitions whose names a part of a name matches, the most used first: get*, the humps gSL of
// getStoreLine and get_store_line, the words "store line". What stands before the last name counts as for a whole one.
func (s *Snapshot) partly(ctx context.Context, text string) []store.DefID {
	n := store.ParseName(text)
	match := partMatcher(n.Last)
	if match == nil {
		return nil
	}
	type used struct {
		y     uint32
		files int
	}
	var names []used
	total := uint32(s.tree.Base.Names.Len() + len(s.tree.Lex.Extra))
	for y := uint32(1); y < total; y++ {
		if y%store.SuggestEvery == 0 && ctx.Err() != nil {
			break
		}
		name := s.tree.Lex.Text(y)
		if meaning.IdentEnd(name, 0) < len(name) || !match(name) || !s.tree.Defined(y) {
			continue
		}
		u := used{y: y}
		s.tree.Mentioning(y, true, func(int32) { u.files++ })
		names = append(names, u)
	}
	sort.SliceStable(names, func(i, j int) bool {
		a, b := names[i], names[j]
		if a.files != b.files {
			return a.files > b.files
		}
		return s.tree.Lex.Text(a.y) < s.tree.Lex.Text(b.y)
	})
	var list []store.DefID
	for _, u := range names[:min(len(names), maxPartNames)] {
		list = append(list, store.SymbolsIn(s.tree.Meant(&n, u.y))...)
	}
	return list
}

// partMatcher tells which names a part of one means; nil: it is no such part.
func partMatcher(part string) func(name string) bool {
	words := strings.Fields(strings.ToLower(part))
	humps, capitals := humpsOf(part, false), humpsOf(part, true)
	switch {
	case strings.Trim(part, "*") == "": // all names, which nobody means
		return nil
	case strings.Contains(part, "*"):
		if part == strings.ToLower(part) {
			return func(name string) bool { return matchGlob(part, strings.ToLower(name)) }
		}
		return func(name string) bool { return matchGlob(part, name) }
	case len(words) > 1:
		return func(name string) bool { return hasWords(strings.ToLower(name), words) }
	case len(capitals) > 1:
		return func(name string) bool {
			words := humpsOf(name, false)
			return matchHumps(humps, words) || matchHumps(capitals, words)
		}
	}
	return nil
}

func hasWords(name string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(name, w) {
			return false
		}
	}
	return true
}

// matchGlob matches a pattern in which * stands for any text.
func matchGlob(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	first, last := parts[0], parts[len(parts)-1]
	if len(name) < len(first)+len(last) || !strings.HasPrefix(name, first) || !strings.HasSuffix(name, last) {
		return false
	}
	name = name[len(first) : len(name)-len(last)]
	for _, p := range parts[1 : len(parts)-1] {
		at := strings.Index(name, p)
		if at < 0 {
			return false
		}
		name = name[at+len(p):]
	}
	return true
}

// humpsOf are the parts of a name that begin with capitals or stand between underscores, in small letters. Of several
// capitals each begins a part if each is true, else the last one, as in HTTPServer.
func humpsOf(name string, each bool) []string {
	var out []string
	from := 0
	end := func(at int) {
		if at > from {
			out = append(out, strings.ToLower(name[from:at]))
		}
	}
	var before rune
	for i, c := range name {
		switch {
		case c == '_' || c == '$' || c == '-':
			end(i)
			from = i + 1
		case unicode.IsUpper(c) && (each || !unicode.IsUpper(before) || followedBySmall(name[i:])):
			end(i)
			from = i
		}
		before = c
	}
	end(len(name))
	return out
}

// followedBySmall tells of the last capital of several, which begins a word: the S of HTTPServer.
func followedBySmall(text string) bool {
	for i, c := range text {
		if i > 0 {
			return unicode.IsLower(c)
		}
	}
	return false
}

// matchHumps matches words whose beginnings are these, in their order, the first one at the front of the name.
func matchHumps(humps, words []string) bool {
	if len(words) < len(humps) || !strings.HasPrefix(words[0], humps[0]) {
		return false
	}
	k := 1
	for _, w := range words[1:] {
		if k < len(humps) && strings.HasPrefix(w, humps[k]) {
			k++
		}
	}
	return k == len(humps)
}
