package policy

import (
	"cmp"
	"slices"

	"helve/tool"
)

// A Preset says which of our own tools a kit offers at all, whatever switches say: those that only read, always; the
// others where Write is set; the todo lists where Todo is. Tools of MCP servers stay. The zero Preset is the strictest.
type Preset struct {
	Write bool // offer tools that change files, run programs or send something
	Todo  bool // offer todo_read and todo_write

	History bool // offer history, diff, undo and redo where no layer says otherwise; see Beneath

	WriteAt, TodoAt Place // where the two are written; zero: by default
}

// Layer is the preset as a layer, which takes rights away and gives none. Its rules are called write and todo.
func (p Preset) Layer() Layer {
	l := Layer{Name: "default", Tightens: true}
	if !p.Todo {
		l.Switches = append(l.Switches, Switch{
			Name:   "todo",
			Of:     isTodo,
			At:     p.TodoAt.orDefault(),
			Reason: "todo lists are not switched on",
		})
	}
	if !p.Write {
		l.Switches = append(l.Switches, Switch{
			Name:   "write",
			Of:     changes,
			At:     p.WriteAt.orDefault(),
			Reason: "writing is not switched on",
		})
	}
	return l
}

// Beneath is the layer beneath all others: what it switches off, any other layer may switch on. Undo and what belongs
// to it are a person's, so that no text which a model reads can have them called.
func (p Preset) Beneath() Layer {
	l := Layer{Name: "default"}
	if !p.History {
		l.Switches = append(l.Switches, Switch{
			Name:   "history",
			Of:     isHistory,
			Reason: "what calls changed is for people to take back: helve undo",
		})
	}
	return l
}

// isHistory means our tools that show and take back what calls changed.
func isHistory(s *tool.Spec) bool {
	if s.Origin.Kind != tool.Builtin || s.Origin.Server != "" {
		return false
	}
	return slices.Contains([]string{"history", "diff", "undo", "redo"}, s.Origin.Name)
}

func (p Place) orDefault() Place {
	p.Layer = cmp.Or(p.Layer, "default")
	return p
}

// isTodo means the built-in pair by its identity: another tool that keeps a list is judged by what it does.
func isTodo(s *tool.Spec) bool {
	if s.Origin.Kind != tool.Builtin || s.Origin.Server != "" {
		return false
	}
	return s.Origin.Name == "todo_read" || s.Origin.Name == "todo_write"
}

// changes means the rest of what is not read-only. Servers are beyond a preset: their tools say what they like of
// themselves, and rules hold for them. So they do for what a script calls.
func changes(s *tool.Spec) bool {
	return !others(s.Origin) && !s.ReadOnly && !s.Calls && !isTodo(s)
}
