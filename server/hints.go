package server

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	rawjson "helve/internal/json"
	"helve/internal/visible"
	"helve/tool"
)

// What Claude Code reads in the _meta of a tool, and of a question that asks for
// an approval. It was read in version 2.1.330.
const (
	hintLoad    = "anthropic/alwaysLoad"         // true: the tool is in every request, not behind a search
	hintSearch  = "anthropic/searchHint"         // words to find it by
	hintSize    = "anthropic/maxResultSizeChars" // the longest result that is not put aside into a file
	hintDisplay = "anthropic/permissionDisplay"  // title, displayName, description
)

// readWhole is how long a result of read may be without being cut here, in bytes;
// a client that puts it aside makes its model read it twice.
const readWhole = 256 << 10

// profile is what is known of the conversation's client.
func (c *conversation) profile() *ClientProfile {
	return tool.Of(c.session, func() *ClientProfile { return &ClientProfile{} })
}

// hinted is the definition of a built-in tool with what the client reads beyond
// the protocol. That of others stays as it is, byte for byte.
func hinted(s *tool.Spec, definition json.RawMessage, p *ClientProfile) json.RawMessage {
	if len(p.Loads) == 0 || s.Origin.Kind != tool.Builtin {
		return definition
	}
	var meta []rawjson.Member
	if slices.Contains(p.Loads, s.Origin.Name) {
		meta = append(meta, rawjson.Member{Key: hintLoad, Value: json.RawMessage("true")})
	} else if len(s.Tags) > 0 {
		meta = append(meta, rawjson.Member{Key: hintSearch, Value: rawjson.Quote(strings.Join(s.Tags, " "))})
	}
	if s.Origin.Name == "read" {
		size := json.RawMessage(strconv.Itoa(readWhole))
		meta = append(meta, rawjson.Member{Key: hintSize, Value: size})
	}
	if meta == nil {
		return definition
	}
	return rawjson.Set(definition, "_meta", rawjson.Join(meta))
}

// display is the _meta of a question about a job, for a client that shows it.
func display(q *tool.Question) map[string]any {
	s := q.Job.Call.Session
	if s == nil || len(tool.Of(s, func() *ClientProfile { return &ClientProfile{} }).Loads) == 0 {
		return nil
	}
	return map[string]any{hintDisplay: map[string]string{
		"title":       visible.SpelledLine(shorten(q.Job.Title, searchShown)),
		"displayName": visible.Text(q.Job.Call.Name),
		"description": visible.Text(q.Verdict.Why()),
	}}
}
