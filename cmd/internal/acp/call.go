package acp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"helve/agent"
	"helve/internal/visible"
	"helve/tool"
)

// class is the protocol's kind of a tool.
func (s *session) class(name string) string {
	known := map[string]string{
		"ls":            "search",
		"glob":          "search",
		"grep":          "search",
		"safe_delete":   "delete",
		"move_symbol":   "move",
		"todo_read":     "think",
		"todo_write":    "think",
		agent.LeavePlan: "switch_mode",
	}
	if class, ok := known[name]; ok {
		return class
	}
	t, ok := s.host.Workspace().Kit().View().Get(name)
	if !ok {
		return "other"
	}
	return classOf(t.Spec())
}

// classOf is the same by what is known of a tool: what others say of theirs is nothing to go by.
func classOf(spec *tool.Spec) string {
	switch {
	case spec.Origin.Kind != tool.Builtin:
		return "other"
	case spec.Category == "code" && spec.Kind == tool.Read:
		return "search"
	}
	switch spec.Kind {
	case tool.Read:
		return "read"
	case tool.Write:
		return "edit"
	case tool.Exec:
		return "execute"
	case tool.Net:
		return "fetch"
	}
	return "other"
}

// titleOf is what a call does, in one line: words of a model must not look like ours.
func titleOf(j *tool.Job) string { return visible.SpelledLine(j.Title) }

// maxLocations bounds the files of a call that the editor is told.
const maxLocations = 50

// locationsOf are the files that a call reads or changes. A target is relative to the workspace, or //NAME/… below
// another of the folders.
func locationsOf(dirs []string, j *tool.Job) []location {
	var out []location
	for _, effect := range j.Effects {
		if effect.Kind != tool.Read && effect.Kind != tool.Write || len(out) == maxLocations {
			continue
		}
		if path := pathOf(dirs, effect.Target); path != "" {
			out = append(out, location{Path: path})
		}
	}
	return out
}

// pathOf is a target as an absolute path; "": it names no file.
func pathOf(dirs []string, target string) string {
	switch {
	case target == tool.NoTarget, target == tool.AnyTarget:
		return ""
	case strings.HasPrefix(target, "//"):
		name, rest, _ := strings.Cut(strings.TrimPrefix(target, "//"), "/")
		for _, dir := range dirs[1:] {
			if filepath.Base(dir) == name {
				return filepath.Join(dir, filepath.FromSlash(rest))
			}
		}
		return ""
	case filepath.IsAbs(target):
		return target
	}
	return filepath.Join(dirs[0], filepath.FromSlash(target))
}

const (
	// maxShown bounds the text of a call that the editor is shown, in bytes; the model reads what its limits say.
	maxShown = 256 << 10
	// maxRaw bounds the arguments of a call, and its data, as the editor gets them as JSON.
	maxRaw = 256 << 10
)

// rawOf is JSON as the editor gets it; nil: it is none, or too much.
func rawOf(b []byte) json.RawMessage {
	if len(b) == 0 || len(b) > maxRaw || !json.Valid(b) {
		return nil
	}
	return b
}

// textContent is a text; the end of one that is too long, which tells more than its beginning.
func textContent(text string) toolContent {
	if over := len(text) - maxShown; over > 0 {
		text = fmt.Sprintf("… %d bytes before this\n", over) + strings.ToValidUTF8(text[over:], "")
	}
	return toolContent{Type: "content", Content: &block{Type: "text", Text: text}}
}

// resultContent is what a call brought: the difference that it made, else what the model reads of it.
func resultContent(dir string, r *tool.Result) []toolContent {
	if d, ok := r.Display.(tool.Diff); ok && r.Err == nil {
		if out := diffContent(dir, d); out != nil {
			return out
		}
	}
	var out []toolContent
	if text := r.Text(); text != "" {
		out = append(out, textContent(text))
	}
	for _, p := range r.Parts {
		if image, ok := p.(tool.Image); ok {
			data := base64.StdEncoding.EncodeToString(image.Data)
			shown := &block{Type: "image", Data: data, MIME: image.MIME}
			out = append(out, toolContent{Type: "content", Content: shown})
		}
	}
	return out
}

// fenceOf is a fence that no line of a text closes.
func fenceOf(text string) string {
	longest, run := 2, 0
	for i := range len(text) {
		run++
		if text[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return strings.Repeat("`", longest+1)
}

// diffContent are the changed parts of the files of a difference, each with the lines around it. What the protocol has
// no form for, such as a mode, is told as text, with all the rest.
func diffContent(dir string, d tool.Diff) []toolContent {
	var out []toolContent
	hunks, whole := hunksOf(d)
	if !whole {
		out = append(out, toolContent{Type: "content", Content: &block{Type: "text", Text: d.Unified}})
	}
	for _, h := range hunks {
		path := h.path
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, filepath.FromSlash(path))
		}
		before, after := string(h.before), string(h.after)
		c := toolContent{Type: "diff", Path: path, New: &after, line: h.line}
		if !h.made {
			c.Old = &before
		}
		out = append(out, c)
	}
	return out
}

// diffLocations are the lines that were changed.
func diffLocations(content []toolContent) []location {
	var out []location
	for _, c := range content {
		if c.Type == "diff" && len(out) < maxLocations {
			out = append(out, location{Path: c.Path, Line: c.line})
		}
	}
	return out
}

// A hunk is a changed part of a file.
type hunk struct {
	path          string
	made          bool // the file was not there before
	before, after []byte
	line          int // its first line, as it is afterwards
	old, new      int // lines that are still to come
}

// take adds a line of the text.
func (h *hunk) take(line string) {
	if line == "" {
		return
	}
	text := line[1:]
	switch line[0] {
	case ' ':
		h.before, h.after = append(h.before, text...), append(h.after, text...)
		h.old, h.new = h.old-1, h.new-1
	case '-':
		h.before = append(h.before, text...)
		h.old--
	case '+':
		h.after = append(h.after, text...)
		h.new--
	}
}

// open takes away the line end that the last line does not have: mark is the first character of that line.
func (h *hunk) open(mark byte) {
	if mark != '+' {
		h.before = bytes.TrimSuffix(h.before, []byte("\n"))
	}
	if mark != '-' {
		h.after = bytes.TrimSuffix(h.after, []byte("\n"))
	}
}

// hunksOf are those of a difference. How many lines a hunk has its head says: a line of a file may look like a head.
// whole tells that they and their files' names are all that the text says.
func hunksOf(d tool.Diff) (out []hunk, whole bool) {
	next := hunk{path: d.Path}
	mark := byte(' ')
	whole = true
	for line := range strings.Lines(d.Unified) {
		last := len(out) - 1
		switch {
		case last >= 0 && strings.HasPrefix(line, "\\"): // lines of a file have another character before them
			out[last].open(mark)
		case last >= 0 && out[last].old+out[last].new > 0:
			out[last].take(line)
			mark = line[0]
		case strings.HasPrefix(line, "@@ "):
			h := next
			h.head(line)
			out = append(out, h)
		case !next.name(line):
			whole = false
		}
	}
	return out, whole
}

// name reads a line that names the file before or after; ok is false for any other.
func (h *hunk) name(line string) (ok bool) {
	line = strings.TrimSuffix(line, "\n")
	if before, is := strings.CutPrefix(line, "--- "); is {
		h.made = before == "/dev/null"
		if name, is := strings.CutPrefix(before, "a/"); is {
			h.path = name
		}
		return true
	}
	after, is := strings.CutPrefix(line, "+++ ")
	if name, named := strings.CutPrefix(after, "b/"); is && named {
		h.path = name
	}
	return is
}

// head reads the head of a hunk: @@ -1,4 +1,6 @@.
func (h *hunk) head(line string) {
	words := strings.Fields(line)
	if len(words) < 3 {
		return
	}
	_, h.old = rangeOf(words[1])
	h.line, h.new = rangeOf(words[2])
}

// rangeOf is where lines begin, and how many there are: -1,4.
func rangeOf(word string) (from, count int) {
	first, many, more := strings.Cut(strings.TrimLeft(word, "+-"), ",")
	from, _ = strconv.Atoi(first) // 0 where it is no number, as for no line
	count = 1
	if more {
		count, _ = strconv.Atoi(many)
	}
	if count == 0 { // the line before them is named
		from++
	}
	return max(from, 1), count
}
