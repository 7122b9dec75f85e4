package agent

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
)

const (
	// maxCarriedSaid bounds what the person said that is kept word by word, in bytes; of a longer prompt its beginning
	// and its end, maxCarriedPrompt of them.
	maxCarriedSaid   = 32_000
	maxCarriedPrompt = 4_000
	// maxCarriedFiles bounds the files in work that are named: the last ones.
	maxCarriedFiles = 50
)

// carriedMark begins what a summary is followed by: who reads one knows from here on that no model wrote it.
const carriedMark = "\n\nKept word by word, as JSON:\n"

// carried is what outlives a summary whatever the model wrote into it.
type carried struct {
	Said  []string        `json:"person,omitempty"` // what they said, the oldest first
	Plan  string          `json:"plan,omitempty"`   // that was shown to them last
	Todo  json.RawMessage `json:"todo,omitempty"`   // the list as it was written last
	Files []string        `json:"files,omitempty"`  // that calls named, the last one last
}

// carriedFrom gathers it from messages, the first of which may be a summary with what was kept before.
func carriedFrom(messages []Message) carried {
	var c carried
	made := map[string]Call{}
	for i, m := range messages {
		switch m := m.(type) {
		case User:
			if i == 0 && c.restore(m.Text) || m.Text == goOn {
				continue
			}
			c.Said = append(c.Said, shorten(m.Text, maxCarriedPrompt))
		case Assistant:
			for _, call := range m.Calls {
				made[call.ID] = call
			}
		case Results:
			for _, a := range m.Answers {
				if !a.Failed {
					c.call(made[a.ID])
				}
			}
		}
	}
	c.bound()
	return c
}

// restore takes what an earlier summary kept; false: the text is none.
func (c *carried) restore(text string) bool {
	at := strings.LastIndex(text, carriedMark)
	return at >= 0 && strings.HasPrefix(text, summed) && json.Unmarshal([]byte(text[at+len(carriedMark):]), c) == nil
}

// call takes what a call of the model says of its work.
func (c *carried) call(call Call) {
	var in struct {
		Plan  string          `json:"plan"`
		Todos json.RawMessage `json:"todos"`
		File  string          `json:"file_path"`
		Files []string        `json:"file_paths"`
	}
	if json.Unmarshal([]byte(call.Args), &in) != nil {
		return // as of a call that is not known
	}
	switch {
	case call.Name == LeavePlan && in.Plan != "":
		c.Plan = shorten(in.Plan, maxCarriedPrompt)
	case strings.HasPrefix(call.Name, "todo") && in.Todos != nil && len(in.Todos) <= maxCarriedSaid:
		c.Todo = in.Todos
	}
	for _, name := range append(in.Files, in.File) {
		if name == "" || len(name) > maxCarriedPrompt {
			continue
		}
		name = path.Clean(name)
		c.Files = slices.DeleteFunc(c.Files, func(f string) bool { return f == name })
		c.Files = append(c.Files, name)
	}
}

// bound keeps of it what has room. Of what the person said the first prompt stays, which says what it is about.
func (c *carried) bound() {
	c.Files = c.Files[max(0, len(c.Files)-maxCarriedFiles):]
	size := 0
	for i, said := range slices.Backward(c.Said) {
		if size += len(said); size > maxCarriedSaid && i > 0 {
			left := fmt.Sprintf("[%d prompts are left out]", i)
			c.Said = append([]string{c.Said[0], left}, c.Said[i+1:]...)
			return
		}
	}
}

// text is what follows the summary; "" where there is nothing.
func (c carried) text() string {
	b, err := json.Marshal(c)
	if err != nil || string(b) == "{}" {
		return ""
	}
	return carriedMark + string(b)
}
