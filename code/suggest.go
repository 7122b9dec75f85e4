package code

import (
	"context"
	"math/bits"
	"slices"
	"strings"
)

const (
	// maxSuggestions is how many names are proposed for an unknown one.
	maxSuggestions = 5
	// maxDistance is the number of letters by which a proposed name may differ.
	maxDistance = 2
	// suggestEvery is how many names are compared between two looks at the deadline.
	suggestEvery = 1 << 14
)

// suggest answers defined names that come near the last part of text.
func (s *Snapshot) suggest(ctx context.Context, text string) []string {
	want := parseName(text).last
	if len(want) < 2 || len(want) > 64 {
		return nil
	}
	low := strings.ToLower(want)
	have := letters(want)
	type near struct {
		name string
		far  int
	}
	var list []near
	total := uint32(s.base.names.len() + len(s.lex.extra))
	for y := uint32(1); y < total; y++ {
		if y%suggestEvery == 0 && ctx.Err() != nil {
			break
		}
		b := s.lex.base.bytes(y)
		if int(y) >= s.base.names.len() {
			b = []byte(s.lex.text(y))
		}
		if len(b) < len(want)-maxDistance || len(b) > len(want)+24 || bits.OnesCount64(have&^letters(b)) > maxDistance {
			continue
		}
		far := distanceOf(string(b), want, low)
		if far > maxDistance+1 || !s.defined(y) {
			continue
		}
		list = append(list, near{s.lex.text(y), far})
	}
	slices.SortFunc(list, func(a, b near) int {
		if a.far != b.far {
			return a.far - b.far
		}
		return strings.Compare(a.name, b.name)
	})
	var out []string
	for _, n := range list[:min(len(list), maxSuggestions)] {
		out = append(out, n.name)
	}
	return out
}

// letters is the set of letters and digits in b, without case.
func letters[T string | []byte](b T) uint64 {
	var m uint64
	for i := range len(b) {
		m |= 1 << ((b[i] | 0x20) & 63)
	}
	return m
}

// distanceOf is 0 for the same name in other case, the number of edits for a near one, 3 for one that contains it.
func distanceOf(name, want, low string) int {
	diff := len(name) - len(want)
	if diff < -maxDistance {
		return maxDistance + 2
	}
	if diff == 0 && strings.EqualFold(name, want) {
		return 0
	}
	if diff <= maxDistance && len(want) > 3 {
		if d := edits(strings.ToLower(name), low, maxDistance); d <= maxDistance {
			return d
		}
	}
	if len(want) >= 4 && diff > 0 && diff < 24 && strings.Contains(strings.ToLower(name), low) {
		return maxDistance + 1
	}
	return maxDistance + 2
}

// edits counts the letters to insert, remove, change or swap between a and b, up to most.
func edits(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	prev, cur := make([]int, len(b)+1), make([]int, len(b)+1)
	before := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
			least = min(least, cur[j])
		}
		if least > most {
			return most + 1
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}

// defined reports whether a file defines y.
func (s *Snapshot) defined(y uint32) bool {
	any := false
	s.mentioning(y, false, func(int32) { any = true })
	return any
}
