package run

import (
	"bytes"
	"encoding/json"

	"helve/agent"
	"helve/cmd/internal/asking"
)

// contractVersion is that of what run prints as JSON: docs/run.schema.json.
const contractVersion = 1

// An outcome is the last object of a run, and of each prompt of an input stream.
type outcome struct {
	Type         string          `json:"type"` // end, or done
	Version      int             `json:"version"`
	Conversation string          `json:"conversation"`
	Result       string          `json:"result"`
	Structured   json.RawMessage `json:"structured,omitempty"` // the answer, where --json-schema wants one
	Stop         string          `json:"stop"`
	Error        *failed         `json:"error,omitempty"`
	Turns        int             `json:"turns"`
	Usage        usage           `json:"usage"`
	Model        string          `json:"model"`
	Mode         string          `json:"mode"`
	Changes      []changed       `json:"changes"`
	Undo         []string        `json:"undo"` // the calls that changed files, oldest first, as helve undo takes them
	Calls        counted         `json:"calls"`
	Tests        *tested         `json:"tests"`
}

// A failed is why a run ended before it was done.
type failed struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

type usage struct {
	Input      int64 `json:"input"` // those of the cache included
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
}

func usageOf(u agent.Usage) usage { return usage{u.Input, u.Output, u.Cached, u.Written} }

// A changed is what a call did to one file, or several calls together, as helve history tells it.
type changed struct {
	Path    string `json:"path"`
	From    string `json:"from,omitempty"` // of one that was renamed
	Change  string `json:"change"`         // created, modified, deleted, renamed or mode
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
}

// counted are the calls of a run.
type counted struct {
	Total   int `json:"total"`
	Failed  int `json:"failed"`
	Refused int `json:"refused"` // by policy, mode or person; not counted as failed
}

// An event is a line of stream-json. Its type says which members it has.
type event struct {
	Type         string `json:"type"`
	Conversation string `json:"conversation"`

	Version int            `json:"version,omitempty"` // of start
	Model   string         `json:"model,omitempty"`
	Mode    string         `json:"mode,omitempty"`
	Tools   *[]string      `json:"tools,omitempty"`
	Memory  *[]asking.Told `json:"memory,omitempty"`

	Delta string `json:"delta,omitempty"` // of text, thinking and output

	ID        string          `json:"id,omitempty"` // of call, output, result and question
	Tool      string          `json:"tool,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`

	Call    string   `json:"call,omitempty"` // of question: the call that it is about
	Title   string   `json:"title,omitempty"`
	Reason  string   `json:"reason,omitempty"`
	Preview string   `json:"preview,omitempty"`
	Options []option `json:"options,omitempty"`

	OK      *bool      `json:"ok,omitempty"` // of result
	Text    string     `json:"text,omitempty"`
	Changes *[]changed `json:"changes,omitempty"`

	N     int    `json:"n,omitempty"` // of turn
	Usage *usage `json:"usage,omitempty"`

	Level string `json:"level,omitempty"` // of notice: info, warning or error
}

// An option is an answer that a question takes.
type option struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// argumentsOf are a call's arguments as JSON; what is none is a string of it.
func argumentsOf(args string) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, []byte(args)) == nil && b.Len() > 0 {
		return b.Bytes()
	}
	quoted, _ := json.Marshal(args) // strings can be encoded
	return quoted
}

// stopWord is why a run ended, in the words of the contract.
func stopWord(s agent.Stop) string {
	switch s {
	case agent.Turns:
		return "max_turns"
	case agent.Tokens:
		return "max_tokens"
	case agent.Time:
		return "max_time"
	case agent.Repeated:
		return "loop"
	case agent.Failed:
		return "error"
	}
	return string(s)
}
