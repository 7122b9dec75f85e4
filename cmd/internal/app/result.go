package app

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	rawjson "helve/internal/json"
	"helve/tool"
)

// A resultObject is a result under seed 4's names (cli.md).
type resultObject struct {
	Success  bool              `json:"success"`
	Model    string            `json:"llmContent"`
	Display  string            `json:"displayContent"`
	Parts    []json.RawMessage `json:"parts"`
	Data     json.RawMessage   `json:"data"` // null without one
	Error    *tool.Error       `json:"error,omitempty"`
	Metadata json.RawMessage   `json:"metadata"`
}

func project(res *tool.Result) (*resultObject, error) {
	out := &resultObject{Success: res.Err == nil, Model: res.Text(), Display: res.Show(), Parts: []json.RawMessage{}, Data: res.Data, Error: res.Err}
	for _, p := range res.Parts {
		b, err := tool.Block(p)
		if err != nil {
			return nil, err
		}
		out.Parts = append(out.Parts, b)
	}
	meta, err := metadata(res)
	if out.Metadata = meta; len(meta) == 0 {
		out.Metadata = json.RawMessage("{}")
	}
	if out.Error != nil {
		e := *out.Error
		e.Tool = "" // the caller knows what it called
		out.Error = &e
	}
	return out, err
}

// metadata is the tool's own fields, and what was repaired.
func metadata(res *tool.Result) (json.RawMessage, error) {
	if len(res.Repairs) == 0 {
		return res.Meta, nil
	}
	repairs, err := json.Marshal(map[string]any{"repairs": res.Repairs})
	if err != nil || len(res.Meta) <= 2 {
		return repairs, err
	}
	return append(append(bytes.TrimSuffix(bytes.Clone(res.Meta), []byte("}")), ','), repairs[1:]...), nil
}

// printResult prints what the model reads, or the result object, and ends with the status of the result.
func (a *app) printResult(name string, res *tool.Result) error {
	if a.flags.json {
		obj, err := project(res)
		if err != nil {
			return err
		}
		if err := a.printJSON(obj); err != nil {
			return err
		}
		return &exitError{status: statusOf(res.Err)}
	}
	if text := readable(res); text != "" {
		fmt.Fprintln(a.env.Stdout, strings.TrimSuffix(text, "\n"))
	}
	if res.Err != nil {
		a.say("call %s: %s", name, res.Err.Code)
	}
	return &exitError{status: statusOf(res.Err)}
}

// readable is the texts, with a word for each part that is none.
func readable(res *tool.Result) string {
	var out []string
	for _, p := range res.Parts {
		switch p := p.(type) {
		case tool.Text:
			out = append(out, string(p))
		case tool.Image:
			out = append(out, fmt.Sprintf("[image %s, %d bytes: --json shows it]", p.MIME, len(p.Data)))
		case tool.Audio:
			out = append(out, fmt.Sprintf("[audio %s, %d bytes: --json shows it]", p.MIME, len(p.Data)))
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

// foreign is a block of a server's result as it came, but for pictures and sounds, which nobody reads.
func foreign(p tool.Foreign) string {
	kind, _ := rawjson.String(rawjson.Get(p, "type"))
	if kind != "image" && kind != "audio" {
		return string(p)
	}
	mime, _ := rawjson.String(rawjson.Get(p, "mimeType"))
	data, _ := rawjson.String(rawjson.Get(p, "data"))
	return fmt.Sprintf("[%s %s, %d bytes: --json shows it]", kind, printable(mime), base64.StdEncoding.DecodedLen(len(data)))
}
