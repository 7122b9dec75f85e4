package display

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"helve/cmd/internal/command"
	rawjson "helve/internal/json"
	"helve/tool"
)

// A ResultObject is a result as scripts read it. Its names are those of the tools' common result format.
type ResultObject struct {
	Success  bool              `json:"success"`
	Model    string            `json:"llmContent"`     // the texts joined
	Display  string            `json:"displayContent"` // what people are shown
	Parts    []json.RawMessage `json:"parts"`          // MCP content blocks
	Data     json.RawMessage   `json:"data"`           // null without one
	Error    *tool.Error       `json:"error,omitempty"`
	Metadata json.RawMessage   `json:"metadata"` // an object, perhaps empty
}

// ProjectResult makes the object of a result.
func ProjectResult(res *tool.Result) (*ResultObject, error) {
	out := &ResultObject{
		Success: res.Err == nil,
		Model:   res.Text(),
		Display: res.Show(),
		Parts:   []json.RawMessage{},
		Data:    res.Data,
		Error:   res.Err,
	}
	for _, p := range res.Parts {
		b, err := tool.Block(p)
		if err != nil {
			return nil, err
		}
		out.Parts = append(out.Parts, b)
	}
	meta, err := metadata(res)
	if len(meta) == 0 {
		meta = json.RawMessage("{}")
	}
	out.Metadata = meta
	if out.Error != nil {
		e := *out.Error
		e.Tool = "" // the caller knows what it called
		out.Error = &e
	}
	return out, err
}

// metadata is the tool's own fields, and what was repaired. The tool's are kept as they were written: their numbers
// may be longer than Go's.
func metadata(res *tool.Result) (json.RawMessage, error) {
	if len(res.Repairs) == 0 {
		return res.Meta, nil
	}
	repairs, err := json.Marshal(map[string]any{"repairs": res.Repairs})
	if err != nil || len(res.Meta) <= len("{}") {
		return repairs, err
	}
	own := bytes.TrimSuffix(bytes.Clone(res.Meta), []byte("}"))
	return append(append(own, ','), repairs[1:]...), nil
}

// PrintResult prints what the model reads, or the result object, and ends with the status of the result.
func PrintResult(s command.Streams, name string, res *tool.Result, asJSON bool) error {
	if asJSON {
		obj, err := ProjectResult(res)
		if err != nil {
			return err
		}
		if err := s.PrintJSON(obj); err != nil {
			return err
		}
		return &command.ExitError{Status: command.StatusOf(res.Err)}
	}
	if text := readable(res); text != "" {
		fmt.Fprintln(s.Stdout, strings.TrimSuffix(text, "\n"))
	}
	if res.Err != nil {
		s.Say("call %s: %s", command.Brief(name), res.Err.Code)
	}
	return &command.ExitError{Status: command.StatusOf(res.Err)}
}

// readable is the texts, with a word for each part that is none.
func readable(res *tool.Result) string {
	var out []string
	for _, p := range res.Parts {
		switch p := p.(type) {
		case tool.Text:
			out = append(out, string(p))
		case tool.Image:
			out = append(out, unshown("image", p.MIME, len(p.Data)))
		case tool.Audio:
			out = append(out, unshown("audio", p.MIME, len(p.Data)))
		case tool.Link:
			out = append(out, fmt.Sprintf("[%s](%s)", p.Name, p.URI))
		case tool.Resource:
			out = append(out, p.URI+"\n"+p.Text)
		case tool.Foreign:
			out = append(out, foreign(p))
		}
	}
	return strings.Join(out, "\n")
}

// unshown stands for what a terminal cannot show.
func unshown(kind, mime string, size int) string {
	return fmt.Sprintf("[%s %s, %d bytes: --json shows it]", kind, mime, size)
}

// foreign is a block of a server's result as it came, but for pictures and sounds, which nobody reads.
func foreign(p tool.Foreign) string {
	kind, _ := rawjson.String(rawjson.Get(p, "type"))
	if kind != "image" && kind != "audio" {
		return string(p)
	}
	mime, _ := rawjson.String(rawjson.Get(p, "mimeType"))
	data, _ := rawjson.String(rawjson.Get(p, "data"))
	return unshown(kind, command.Printable(mime), base64.StdEncoding.DecodedLen(len(data)))
}
