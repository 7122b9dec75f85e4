package script

import (
	"encoding/json"
	"fmt"
	"strings"

	"helve/script/internal/wire"
	"helve/tool"
)

// reply is what the script gets of a result: its data, or the text of a tool that promises none.
func reply(id int, res *tool.Result) *wire.Reply {
	out := &wire.Reply{ID: id}
	switch {
	case commandEnded(res):
		out.Data = res.Data
	case res.Err != nil:
		e := res.Err
		out.Err = &wire.Failure{Code: string(e.Code), Message: e.Error(), Hint: e.Hint, Tool: e.Tool}
	case res.Data != nil && res.Spec != nil && res.Spec.Output != nil:
		out.Data = res.Data
	default:
		out.Text = text(res)
	}
	return out
}

// commandEnded tells of a command that ran to its end and failed: for a script that is a value with an exit code, as
// it is in a shell. One that did not run, whose changes are lost or that nobody waited for is a failure.
func commandEnded(res *tool.Result) bool {
	if res.Err == nil || res.Spec == nil || res.Spec.Origin.Kind != tool.Builtin {
		return false
	}
	if res.Err.Code != tool.Execution && res.Err.Code != tool.TimedOut {
		return false
	}
	var ended struct {
		ExitCode *int `json:"exit_code"`
		Lost     bool `json:"lost"`
	}
	return json.Unmarshal(res.Data, &ended) == nil && ended.ExitCode != nil && !ended.Lost
}

// text is all that a result says, with a word for what is no text.
func text(res *tool.Result) string {
	var parts []string
	for _, p := range res.Parts {
		switch p := p.(type) {
		case tool.Text:
			parts = append(parts, string(p))
		case tool.Resource:
			if p.Blob == nil {
				parts = append(parts, p.Text)
				continue
			}
			parts = append(parts, fmt.Sprintf("[%s: %d bytes that are no text]", p.URI, len(p.Blob)))
		case tool.Foreign:
			parts = append(parts, foreign(p))
		default:
			parts = append(parts, fmt.Sprintf("[%d bytes that are no text]", tool.Size(p)))
		}
	}
	return strings.Join(parts, "\n")
}

// foreign is the text of a block as an upstream sent it.
func foreign(p tool.Foreign) string {
	var block struct {
		Type, Text string
	}
	if json.Unmarshal(p, &block) == nil && block.Type == "text" {
		return block.Text
	}
	return fmt.Sprintf("[%s: %d bytes that are no text]", block.Type, len(p))
}
