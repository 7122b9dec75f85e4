package clienthook

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"helve/tool"
)

// A Kind is what a client's tool does, in terms of ours.
type Kind int

// The kinds. Unknown is what no table has: rules that name the tool count, nothing else does.
const (
	Unknown Kind = iota
	Shell
	Read
	Search
	Edit
	Write
	Fetch
	MCP
)

// tool is which of our tools does the same; "": none.
func (k Kind) tool() string {
	return map[Kind]string{Shell: "bash", Read: "read", Search: "grep", Edit: "edit", Write: "write", Fetch: "fetch"}[k]
}

// effect is what it does at most.
func (k Kind) effect() tool.Kind {
	switch k {
	case Read, Search:
		return tool.Read
	case Edit, Write:
		return tool.Write
	case Fetch:
		return tool.Net
	}
	return tool.Exec
}

// A shape says where the input of a client's tool has what matters.
type shape struct {
	kind   Kind
	fields []string // whose values count: command lines, paths, an address
	paths  []string // of lists, the member that is the path; nil: the value itself
	folder string   // the field with the folder that it works in; "": it has none
	later  []string // fields that say that the command goes on beside the agent's work
	patch  bool     // the value is a patch with its files in it
}

// An Act is one thing that a call would do, in terms of ours.
type Act struct {
	Kind       Kind
	Lines      []string // command lines
	Paths      []string // of files
	URL        string
	Dir        string // where it works, where its input says so
	Background bool
	Patch      bool // the line is, or holds, a patch whose files stand in Paths
}

// maxPaths bounds the files of one call: each is judged, kept and compared.
const maxPaths = 2000

// Act is what the event's call would do.
func (c *Client) Act(e *Event) (Act, error) {
	s, known := c.tools[e.Tool]
	if !known {
		if e.Server.Name != "" {
			return Act{Kind: MCP}, nil
		}
		return Act{}, nil
	}
	a := Act{Kind: s.kind}
	var in map[string]json.RawMessage
	if err := json.Unmarshal(e.Input, &in); err != nil {
		return a, fmt.Errorf("the input of %s is no object: %w", e.Tool, err)
	}
	var values []string
	for _, f := range s.fields {
		values = append(values, texts(in[f], s.paths)...)
	}
	if s.folder != "" {
		a.Dir = one(in[s.folder])
	}
	for _, f := range s.later {
		a.Background = a.Background || truth(in[f])
	}
	switch s.kind {
	case Shell:
		a.Lines = values
		if len(values) == 0 {
			return a, fmt.Errorf("%s has no command", e.Tool)
		}
		return a, a.patchInside()
	case Fetch:
		a.URL = strings.Join(values[:min(1, len(values))], "")
		return a, nil
	case Read, Search:
		a.Paths = values
	case Edit, Write:
		a.Paths = values
		if s.patch {
			a.Patch = true
			if err := a.patch(values); err != nil {
				return a, err
			}
		}
		if len(a.Paths) == 0 {
			return a, fmt.Errorf("%s names no file", e.Tool)
		}
	}
	if len(a.Paths) > maxPaths {
		return a, fmt.Errorf("%s names %d files: at most %d are judged", e.Tool, len(a.Paths), maxPaths)
	}
	return a, nil
}

// patch has the files of patches as the act's paths.
func (a *Act) patch(texts []string) error {
	a.Paths = nil
	for _, text := range texts {
		files, err := patched(text)
		if err != nil {
			return err
		}
		a.Paths = append(a.Paths, files...)
	}
	return nil
}

// texts are the strings of a value: itself, those of a list, or of objects in a list the members named.
func texts(raw json.RawMessage, members []string) []string {
	if len(raw) == 0 {
		return nil
	}
	if s := one(raw); s != "" {
		return []string{s}
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	var out []string
	for _, item := range list {
		var fields map[string]json.RawMessage
		if s := one(item); s != "" {
			out = append(out, s)
		} else if json.Unmarshal(item, &fields) == nil {
			for _, m := range members {
				out = append(out, texts(fields[m], nil)...)
			}
		}
	}
	return out
}

// one is a string, "" for anything else.
func one(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// truth is a yes, as a boolean or in words.
func truth(raw json.RawMessage) bool {
	return slices.Contains([]string{"true", `"true"`, `"async"`, `"background"`}, string(raw))
}

// title is the call in a line, for people; paths are named from dir, where they lie in it.
func (a Act) title(e *Event, dir string) string {
	what := strings.Join(slices.Concat(a.Lines, a.Paths), " ")
	what = strings.ReplaceAll(what, dir+string(filepath.Separator), "")
	if a.URL != "" {
		what = a.URL
	}
	if a.Patch && a.Kind == Shell {
		what = strings.Join(a.Paths, " ")
	}
	return strings.TrimSpace(e.Tool + " " + what)
}
