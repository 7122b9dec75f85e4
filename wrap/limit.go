package wrap

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"helve/tool"
)

const (
	// DefaultResult is how many bytes of text a result may bring to the model: about 10,000 tokens.
	DefaultResult = 40_000
	// DefaultBlobs is how many bytes of images, sounds and foreign blocks a result may bring: what providers accept,
	// with room.
	DefaultBlobs = 16 << 20
	// headShare of what is kept is the head, in quarters: what a thing is stands at the start, and errors at the end.
	headShare = 3
	// remoteRoom is how much longer a result may be that another host has cut already: the words that say where the
	// rest is kept come on top of its limit, and a second cut would lead to a second place.
	remoteRoom = 8 << 10
)

// Limit cuts the texts of a result to as many bytes as limit says, DefaultResult if it says 0 or less. Head and tail
// stay, cut at line ends; the whole is kept by the session, where read and grep can page it, and the words between say
// how.
func Limit(limit func(*tool.Job) int) func(tool.Runner) tool.Runner {
	return func(next tool.Runner) tool.Runner {
		return func(ctx context.Context, j *tool.Job) (*tool.Result, error) {
			res, err := next(ctx, j)
			if res == nil || j.Call.Whole > 0 { // the kit bounds what a program gets
				return res, err
			}
			n := limit(j)
			if n <= 0 {
				n = DefaultResult
			}
			if j.Remote {
				n += remoteRoom
			}
			before := textSize(res.Parts)
			res.Parts = cutTexts(j, res.Parts, n)
			res.Cut += max(0, before-textSize(res.Parts))
			res.Parts = dropBlobs(res.Parts, DefaultBlobs)
			return res, err
		}
	}
}

// textSize is how many bytes of text there are.
func textSize(parts []tool.Part) int {
	total := 0
	for _, p := range parts {
		if t, ok := p.(tool.Text); ok {
			total += len(t)
		}
	}
	return total
}

// cutTexts shortens the first text that does not fit, and drops those behind it.
func cutTexts(j *tool.Job, parts []tool.Part, limit int) []tool.Part {
	if textSize(parts) <= limit {
		return parts
	}
	out := make([]tool.Part, 0, len(parts))
	room := limit
	for _, p := range parts {
		t, ok := p.(tool.Text)
		if !ok {
			out = append(out, p)
			continue
		}
		if len(t) > room {
			t = tool.Text(cut(j, string(t), room))
			room = 0
		} else {
			room -= len(t)
		}
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}

// cut keeps head and tail of s and says what became of the rest.
func cut(j *tool.Job, s string, room int) string {
	first := room * headShare / 4
	head := lineStart(s, first)
	from := lineAfter(s, len(s)-(room-first))
	if len(head) >= from {
		return s
	}
	gone, tail := s[len(head):from], s[from:]
	lines := strings.Count(gone, "\n")
	note := fmt.Sprintf("[… %d lines (%d bytes) cut of %d bytes: %s …]", lines, len(gone), len(s), whereWhole(j, s))
	return strings.TrimSuffix(head, "\n") + "\n" + note + "\n" + tail
}

// whereWhole teaches the next step.
func whereWhole(j *tool.Job, s string) string {
	if j.Call.Session == nil {
		return "ask for less at once: a narrower pattern, a window, a filter"
	}
	ref, err := j.Call.Session.Keep(strings.NewReader(s))
	if err != nil {
		return "the whole could not be kept (" + err.Error() + "); ask for less at once"
	}
	page := fmt.Sprintf(`read {"file_path":%q,"start_line":…}`, ref.ID)
	search := fmt.Sprintf(`grep {"pattern":…,"path":%q}`, ref.ID)
	return fmt.Sprintf("the whole is kept as %s: page it with %s or search it with %s", ref.ID, page, search)
}

// lineStart is the part of s before the last line end within n bytes; a line longer than that is cut between runes.
func lineStart(s string, n int) string {
	i := strings.LastIndexByte(s[:n], '\n')
	if i > n/2 {
		return s[:i+1]
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// lineAfter is the start of the first line at or after n, or the first rune where the line is too long.
func lineAfter(s string, n int) int {
	i := strings.IndexByte(s[n:], '\n')
	if i >= 0 && i < (len(s)-n)/2 {
		return n + i + 1
	}
	for n < len(s) && !utf8.RuneStart(s[n]) {
		n++
	}
	return n
}

// dropBlobs replaces what is too large for any provider by a sentence. The list that it was given stays as it is: a
// tool may keep it.
func dropBlobs(parts []tool.Part, limit int) []tool.Part {
	var out []tool.Part
	room := limit
	for i, p := range parts {
		if _, text := p.(tool.Text); text {
			continue
		}
		n := tool.Size(p)
		if n <= room {
			room -= n
			continue
		}
		if out == nil {
			out = slices.Clone(parts)
		}
		note := fmt.Sprintf("[a block of %d bytes was left out: a result may bring %d at most]", n, limit)
		out[i] = tool.Text(note)
	}
	if out == nil {
		return parts
	}
	return out
}
