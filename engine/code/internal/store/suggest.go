package store

import (
	"context"
	"fmt"
	"math/bits"
	"sort"
	"strings"

	spelling "helve/internal/names"
)

const (
	// maxSuggestions is how many names are proposed for an unknown one.
	maxSuggestions = 5
	// maxDistance is the number of letters by which a proposed name may differ.
	maxDistance = 2
	// SuggestEvery is how many names are compared between two looks at the deadline.
	SuggestEvery = 1 << 14
)

// Suggest answers defined names that come near the last part of text.
func (s *Snapshot) Suggest(ctx context.Context, text string) []string {
	want := ParseName(text).Last
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
	total := uint32(s.Base.Names.Len() + len(s.Lex.Extra))
	for y := uint32(1); y < total; y++ {
		if y%SuggestEvery == 0 && ctx.Err() != nil {
			break
		}
		b := s.Lex.base.Bytes(y)
		if int(y) >= s.Base.Names.Len() {
			b = []byte(s.Lex.Text(y))
		}
		if len(b) < len(want)-maxDistance || len(b) > len(want)+24 || bits.OnesCount64(have&^letters(b)) > maxDistance {
			continue
		}
		far := distanceOf(string(b), want, low)
		if far > maxDistance+1 || !s.Defined(y) {
			continue
		}
		list = append(list, near{s.Lex.Text(y), far})
	}
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		return a.far < b.far || a.far == b.far && a.name < b.name
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
		if d := spelling.Distance(strings.ToLower(name), low, maxDistance); d <= maxDistance {
			return d
		}
	}
	if len(want) >= 4 && diff > 0 && diff < 24 && strings.Contains(strings.ToLower(name), low) {
		return maxDistance + 1
	}
	return maxDistance + 2
}

// Defined reports whether a file defines y.
func (s *Snapshot) Defined(y uint32) bool {
	any := false
	s.Mentioning(y, false, func(int32) { any = true })
	return any
}

// UnknownError says that nothing in the tree has a name.
type UnknownError struct {
	Name        string
	Suggestions []string
	Unread      Unread // it may be defined there
}

// Error names what comes near.
func (e *UnknownError) Error() string {
	text := fmt.Sprintf("code: nothing is called %q: ", e.Name)
	if len(e.Suggestions) == 0 {
		text += "search for its text instead"
	} else {
		text += "did you mean " + strings.Join(e.Suggestions, ", ") + "?"
	}
	if e.Unread.Files > 0 {
		text += " (not read: " + e.Unread.String() + ")"
	}
	return text
}

func (s *Snapshot) Unknown(ctx context.Context, name string) *UnknownError {
	return &UnknownError{name, s.Suggest(ctx, name), s.Unread("")}
}
