package replicatest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// A message is one of the protocol, as far as Asks reads and writes it.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   any             `json:"error,omitempty"`
}

// Asks is the program asks of scripts: a server of the session protocol over stdio. Its tool ask asks the client,
// waits for the answer while the call lasts, and tells what it was told. For each call it writes a line into the file
// of its first argument.
func Asks() {
	calls := map[string]json.RawMessage{} // by the ID of the question
	lines := bufio.NewScanner(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var m message
		if json.Unmarshal(lines.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		answer := message{Version: "2.0", ID: m.ID}
		switch m.Method {
		case "initialize":
			answer.Result = json.RawMessage(initialized)
		case "ping":
			answer.Result = struct{}{}
		case "tools/list":
			answer.Result = json.RawMessage(tools)
		case "tools/call":
			note(os.Args[1])
			id := fmt.Sprintf("%q", fmt.Sprint("question", len(calls)))
			calls[id] = m.ID
			answer.ID, answer.Method, answer.Params = json.RawMessage(id), "elicitation/create", json.RawMessage(question)
		case "":
			answer = message{Version: "2.0", ID: calls[string(m.ID)], Result: told(m.Result)}
		default:
			answer.Error = map[string]any{"code": -32601, "message": "method not found"}
		}
		if out.Encode(answer) != nil {
			return // nobody listens any more
		}
	}
}

// What it says, in the words of the protocol.
const (
	initialized = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},
		"serverInfo":{"name":"asks","version":"1"}}`
	tools = `{"tools":[{"name":"ask","description":"Asks for a decision.",
		"inputSchema":{"type":"object"}}]}`
	question = `{"message":"Which way?",
		"requestedSchema":{"type":"object","properties":{"decision":{"type":"string"}}}}`
)

// told is the result of a call whose question was answered.
func told(answer any) any {
	b, _ := json.Marshal(answer) // it came as JSON
	return map[string]any{"content": []any{map[string]any{"type": "text", "text": "told " + string(b)}}}
}

// note writes a line into a file.
func note(file string) {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintln(f, "called")
		f.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
