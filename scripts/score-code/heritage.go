package main

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// This file finds which methods and fields stand in for those of bases, of which language servers say nothing: the text
// says where the head of a type is, and the server what the names in it mean.

// maxHead bounds the head of a type, in lines.
const maxHead = 40

// inherit notes for each member of a type the nearest ones of that name above it.
func (t *serverTruth) inherit(texts map[string][]string) {
	bases := t.bases(texts)
	for typ := range t.members {
		for _, m := range t.members[typ] {
			if t.truth.Defs[m].Kind == "constructor" { // who calls that of a base runs no other
				continue
			}
			for _, over := range t.above(m, bases[typ], bases, map[int]bool{typ: true}) {
				t.truth.Over = append(t.truth.Over, [2]int{m, over})
			}
		}
	}
	slices.SortFunc(t.truth.Over, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
}

// above are the members of the name of m in the types of a list or, where one has none, in those above it.
func (t *serverTruth) above(m int, list []int, bases map[int][]int, seen map[int]bool) []int {
	var out []int
	for _, typ := range list {
		if seen[typ] {
			continue
		}
		seen[typ] = true
		named := func(n int) bool { return t.truth.Defs[n].Name == t.truth.Defs[m].Name }
		if own := slices.IndexFunc(t.members[typ], named); own >= 0 {
			out = append(out, t.members[typ][own])
			continue
		}
		out = append(out, t.above(m, bases[typ], bases, seen)...)
	}
	return out
}

// headLine is a line of the head of a type.
type headLine struct {
	path string
	line int
}

// heads are the types whose heads lines belong to.
func (t *serverTruth) heads(texts map[string][]string) map[headLine]int {
	heads := map[headLine]int{}
	for n, d := range t.truth.Defs {
		if !typeKinds[d.Kind] || !headed(d.Path) {
			continue
		}
		for _, line := range head(d.Path, texts[d.Path], d.Line) {
			heads[headLine{d.Path, line}] = n
		}
	}
	return heads
}

// bases are the types that the heads of types name.
func (t *serverTruth) bases(texts map[string][]string) map[int][]int {
	heads := t.heads(texts)
	out := map[int][]int{}
	for _, u := range t.truth.Uses {
		typ, ok := heads[headLine{u.Path, u.Line}]
		if !ok {
			continue
		}
		line := texts[u.Path][u.Line-1]
		if metaclass.MatchString(line) && !strings.Contains(line, u.Name+",") {
			continue
		}
		for _, to := range u.To {
			if typeKinds[t.truth.Defs[to].Kind] && to != typ && !slices.Contains(out[typ], to) {
				out[typ] = append(out[typ], to)
			}
		}
	}
	return out
}

var (
	typeKinds = map[string]bool{"class": true, "interface": true}
	metaclass = regexp.MustCompile(`metaclass\s*=`)
)

// headed tells whether the head of a type names nothing but its bases: no bounds of type parameters, as in C++.
func headed(file string) bool { return path.Ext(file) == ".py" || path.Ext(file) == ".php" }

// head are the lines of the head of the type that begins on a line: up to what opens its body.
func head(file string, lines []string, from int) []int {
	var out []int
	depth := 0
	for n := from; n <= len(lines) && n < from+maxHead; n++ {
		out = append(out, n)
		text := strings.TrimSpace(lines[n-1])
		depth += strings.Count(text, "(") - strings.Count(text, ")")
		ends := depth <= 0 && strings.Contains(text, ":")
		if path.Ext(file) == ".php" {
			ends = strings.Contains(text, "{")
		}
		if ends {
			break
		}
	}
	return out
}
