// Package foreign turns what others say about tools, and what their tools
// answer, into the words of package tool. Everything in it is taken as hostile:
// schemas pass the guard, hidden characters go, sizes are bounded.
package foreign

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"helve/engine/schema"
	rawjson "helve/internal/json"
	"helve/tool"
)

const (
	// maxName is the longest name in bytes; real ones stay under 130.
	maxName = 512
	// maxDoc is how much of a description is taken, in bytes: the longest seen
	// on real servers has 12 KB.
	maxDoc = 64 << 10
	// maxShown is how much of a result that is not text a person is shown, in
	// bytes.
	maxShown = 16 << 10
)

// CheckName tells whether a source may call a tool so. The public name is made
// of it later; here it must only be fit for messages and for a command line.
func CheckName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("a tool has no name")
	case len(name) > maxName:
		return fmt.Errorf("a tool's name has %d bytes, at most %d are taken", len(name), maxName)
	case !utf8.ValidString(name), strings.ContainsFunc(name, rawjson.Hidden):
		return fmt.Errorf("the name %q holds hidden or broken characters", name)
	}
	return nil
}

// Doc makes the documentation out of a description: the first line is the short
// one. It tells how many hidden characters were removed.
func Doc(description string) (tool.Doc, int) {
	if len(description) > maxDoc {
		description = strings.ToValidUTF8(description[:maxDoc], "") + " […]"
	}
	s, n := rawjson.Visible(description)
	s = strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n"))
	short, long, _ := strings.Cut(strings.ReplaceAll(s, "\r", "\n"), "\n")
	return tool.Doc{Short: strings.TrimSpace(short), Long: strings.TrimSpace(long)}, n
}

// Input reads a schema of arguments. What is no schema of an object becomes the
// one that accepts any object; the note says so. The error is the guard's.
func Input(raw json.RawMessage) (s *schema.Schema, note string, err error) {
	if len(raw) == 0 || string(raw) == "null" {
		s, _ = schema.Parse(nil)
		return s, "it has no schema of its arguments", nil
	}
	raw, note = clientSchema(raw)
	s, err = schema.Parse(raw)
	return s, note, err
}

func objectSchema(raw json.RawMessage, members []rawjson.Member) (json.RawMessage, string) {
	for _, m := range members {
		if m.Key != "type" {
			continue
		}
		if t, _ := rawjson.String(m.Value); t == "object" {
			return raw, ""
		}
		if list, err := rawjson.Array(m.Value); err == nil && slices.ContainsFunc(list, isObjectType) {
			return rawjson.Set(raw, "type", json.RawMessage(`"object"`)), ""
		}
		return nil, fmt.Sprintf(
			"its schema is of type %.40s, not object: any arguments are accepted",
			m.Value,
		)
	}
	typed := append([]rawjson.Member{{Key: "type", Value: json.RawMessage(`"object"`)}}, members...)
	return rawjson.Join(typed), ""
}

func isObjectType(v json.RawMessage) bool { return string(v) == `"object"` }

// LooksLikeResult tells whether JSON has the shape of an MCP tool result.
func LooksLikeResult(raw []byte) bool {
	members, err := rawjson.Object(raw)
	if err != nil {
		return false
	}
	for _, m := range members {
		switch m.Key {
		case "content":
			blocks, err := rawjson.Array(m.Value)
			if err != nil {
				return false
			}
			for _, b := range blocks {
				if _, ok := rawjson.String(rawjson.Get(b, "type")); !ok {
					return false
				}
			}
			return true
		case "structuredContent":
			return len(m.Value) > 0 && m.Value[0] == '{'
		}
	}
	return false
}

// Result turns an MCP tool result into ours. Plain texts become Text, all other
// blocks stay as they came. A result that says it is an error has Err, with its
// parts in place.
func Result(raw json.RawMessage) (*tool.Result, error) {
	members, err := rawjson.Object(raw)
	if err != nil {
		return nil, fmt.Errorf("the result is no object: %w", err)
	}
	return ResultOf(members)
}

// ResultOf is Result for an object that was split already.
func ResultOf(members []rawjson.Member) (r *tool.Result, err error) {
	r = &tool.Result{}
	failed := false
	for _, m := range members {
		switch m.Key {
		case "content":
			if r.Parts, err = parts(m.Value); err != nil {
				return nil, err
			}
		case "structuredContent":
			if string(m.Value) != "null" {
				r.Data, _ = rawjson.Clean(m.Value, rawjson.Tame)
			}
		case "_meta":
			r.Extra, _ = rawjson.Clean(m.Value, rawjson.Tame)
		case "isError":
			failed = string(m.Value) == "true"
		}
	}
	if len(r.Parts) == 0 && r.Data != nil { // older clients read texts only
		r.Parts = []tool.Part{tool.Text(r.Data)}
	}
	r.Display = Show(r.Parts)
	if failed {
		r.Err = tool.Verbatim(tool.Execution, "%s", firstLine(r))
	}
	return r, nil
}

// parts are the blocks of a result. One that is no block is kept as text: what a
// server said must not be lost because it said it wrongly.
func parts(content json.RawMessage) ([]tool.Part, error) {
	if string(content) == "null" {
		return nil, nil
	}
	// The call has run: what is merely ill-formed is better read than lost.
	if s, ok := rawjson.String(content); ok {
		visible, _ := rawjson.Tame(s)
		return []tool.Part{tool.Text(visible)}, nil
	}
	blocks, err := rawjson.Array(content)
	if err != nil {
		return nil, fmt.Errorf("the result's content is no array: %w", err)
	}
	out := make([]tool.Part, 0, len(blocks))
	for _, b := range blocks {
		p, err := part(b)
		if err != nil {
			visible, _ := rawjson.Tame(string(b))
			p = tool.Text("[a block that is none: " + visible + "]")
		}
		out = append(out, p)
	}
	return out, nil
}

// part keeps a block as it is, but for a plain text, which has nothing to lose,
// and for one that hides something.
func part(block json.RawMessage) (tool.Part, error) {
	members, err := rawjson.Object(block)
	if err != nil {
		return nil, fmt.Errorf("a block of the result is no object: %w", err)
	}
	var kind, text string
	ok := false
	for _, m := range members {
		switch m.Key {
		case "type":
			kind, _ = rawjson.String(m.Value)
		case "text":
			text, ok = rawjson.String(m.Value)
		}
	}
	if kind == "text" && ok && len(members) == 2 {
		text, _ = rawjson.Tame(text)
		return tool.Text(text), nil
	}
	clean, _ := rawjson.Clean(block, rawjson.Tame)
	return tool.Foreign(clean), nil
}

// Show is what a person sees of a result: nothing as fenced [], texts
// joined, anything else as fenced, indented JSON.
func Show(parts []tool.Part) tool.Display {
	if len(parts) == 0 {
		return tool.Summary("```json\n[]\n```")
	}
	if len(parts) == 1 {
		if t, ok := parts[0].(tool.Text); ok {
			return tool.Summary(t)
		}
	}
	var b strings.Builder
	for _, p := range parts {
		t, ok := p.(tool.Text)
		if !ok {
			return fenced(parts)
		}
		b.WriteString(string(t))
	}
	return tool.Summary(b.String())
}

func fenced(parts []tool.Part) tool.Display {
	shown := make([]json.RawMessage, 0, len(parts))
	for _, p := range parts {
		switch p := p.(type) {
		case tool.Text:
			shown = append(shown, textBlock(string(p)))
		case tool.Foreign:
			shown = append(shown, short(json.RawMessage(p)))
		}
	}
	b, err := json.MarshalIndent(shown, "", "  ")
	if err != nil {
		return tool.Summary(err.Error())
	}
	return tool.Summary("```json\n" + string(b) + "\n```")
}

func textBlock(s string) json.RawMessage {
	if len(s) > maxShown {
		s = strings.ToValidUTF8(s[:maxShown], "") + "…"
	}
	return rawjson.Join([]rawjson.Member{
		{Key: "type", Value: json.RawMessage(`"text"`)},
		{Key: "text", Value: rawjson.Quote(s)},
	})
}

// short replaces long strings, the data of images above all, by their sizes:
// nobody reads base64.
func short(block json.RawMessage) json.RawMessage {
	if len(block) <= maxShown {
		return block
	}
	members, _ := rawjson.Object(block)
	for i, m := range members {
		if len(m.Value) > maxShown/8 {
			members[i].Value = rawjson.Quote(fmt.Sprintf("[%d bytes]", len(m.Value)))
		}
	}
	return rawjson.Join(members)
}

// maxReason is how much of a failed result's text is in its error.
const maxReason = 2000

// firstLine is what a failed result says in one line, for the error that a person
// reads.
func firstLine(r *tool.Result) string {
	s := strings.TrimSpace(r.Text())
	if s == "" {
		return "the tool says that it failed, and nothing more"
	}
	if len(s) > maxReason {
		s = strings.ToValidUTF8(s[:maxReason], "") + "…"
	}
	return s
}
