package exec

import (
	"encoding/json"
	"slices"
	"strings"

	"helve/cmd/internal/command"
	"helve/cmd/internal/display"
	"helve/tool"
)

// execData is what of a command's result is read here.
type execData struct {
	ExitCode int      `json:"exit_code"`
	Signal   string   `json:"signal"`
	Notes    []string `json:"notes"`
	Failed   string   `json:"failed"`
	Lost     bool     `json:"lost"`
}

// report says how the command ended, or why it was not run, and ends with the status of that.
func (e *execution) report(res *tool.Result, at *attachment) error {
	status := at.status(res)
	if e.json {
		obj, err := display.ProjectResult(res)
		if err != nil {
			return err
		}
		if err := e.s.PrintJSON(obj); err != nil {
			return err
		}
		return &command.ExitError{Status: status}
	}
	e.tell(res, at.ran.Load())
	return &command.ExitError{Status: status}
}

// tell says what a person has to know beside what the command printed itself.
func (e *execution) tell(res *tool.Result, ran bool) {
	var d execData
	ran = ran && json.Unmarshal(res.Data, &d) == nil
	switch {
	case !ran && res.Err != nil:
		e.s.Say("exec: %s", command.Printable(strings.TrimPrefix(res.Err.Err.Error(), "Error: ")))
		if res.Err.Hint != "" {
			e.s.Say("hint: %s", command.Printable(res.Err.Hint))
		}
	case d.Lost:
		e.s.Say("exec: %s", command.Printable(strings.TrimSuffix(d.Failed, ":")))
	}
	for _, n := range d.Notes {
		if !isChangeLine(n) {
			e.s.Note("%s", command.Printable(e.forPerson(n)))
		}
	}
}

// isChangeLine says of a note that it only counts what was changed, which helve history tells whoever wants to know.
func isChangeLine(note string) bool {
	counted := []string{" changed", " new", " deleted"}
	head, _, ok := strings.Cut(strings.TrimPrefix(note, "["), ":")
	head, _, _ = strings.Cut(head, ",")
	return ok && (head == "git's own files changed" || slices.ContainsFunc(counted, func(c string) bool {
		n, ok := strings.CutSuffix(head, c)
		return ok && n != "" && strings.Trim(n, "0123456789") == ""
	}))
}

// missesNetwork is what a note says of a line that ran without the network, and may have wanted it.
const missesNetwork = "network=true asks for it"

// maxNamed bounds a line that is repeated in a note, in bytes: longer ones nobody would copy.
const maxNamed = 400

// forPerson is a note that a model reads, in words for whoever runs a command. Of a client's line it names the setting
// that gives it the network.
func (e *execution) forPerson(note string) string {
	note = strings.TrimSuffix(strings.TrimPrefix(note, "["), "]")
	has := "commands have it where the configuration says so: helve config set -g sandbox.network true"
	if e.client != "" && len(e.line) <= maxNamed {
		has = `the person can give it to this line, in helve's configuration: {"client_hooks": {"network": [` +
			quoted(e.line) + "]}}"
	}
	return strings.Replace(note, missesNetwork, has, 1)
}

// quoted is a text as JSON has it, with the characters of shells as they are.
func quoted(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		panic(err) // of a string
	}
	return strings.TrimSpace(b.String())
}
