package agent

import (
	"slices"
	"time"

	"helve/engine/dialect"
	"helve/tool"
)

// A State is what became of a call.
type State string

const (
	Finished  State = "done"      // it has an answer
	NotBegun  State = "not_begun" // nothing of it was done
	Dropped   State = "dropped"   // it had begun, and nothing of it was kept
	Committed State = "committed" // what it changed is there, and its answer is lost
	Unknown   State = "unknown"   // nobody can tell
)

// An Interrupted is a call that was under way when its run was killed.
type Interrupted struct {
	Call
	Tool   string  // as the kit knows it; "": it never came so far
	Called bool    // it was given to the kit
	Reads  bool    // to a tool of our own that only reads
	Began  []Began // its job, and those of the calls that it made itself
	Fate

	watched, noted bool
}

// A Fate is what became of a call, and how that is known.
type Fate struct {
	State State
	Undo  string // of what was committed: what helve undo takes
}

// Since is when the call began; zero: it did not, or nobody noted it.
func (c *Interrupted) Since() time.Time {
	if len(c.Began) == 0 {
		return time.Time{}
	}
	return c.Began[0].Time
}

// Reached tells whether a job of the call had an effect of that kind in mind.
func (c *Interrupted) Reached(kind tool.Kind) bool {
	return slices.ContainsFunc(c.Began, func(b Began) bool { return slices.Contains(b.Kinds, kind) })
}

// Alone is what the log by itself tells: whether the call began, and whether what it began can have left anything.
func (c *Interrupted) Alone() State {
	switch {
	case !c.noted:
		return Unknown
	case !c.Called, c.watched && len(c.Began) == 0:
		return NotBegun
	case c.Reads && !c.Reached(tool.Net):
		return Dropped
	case len(c.Began) == 0:
		return Unknown
	}
	changes := func(b Began) bool {
		looks := func(k tool.Kind) bool { return k == tool.Read || k == tool.Exec && b.Reads }
		return !b.Own || slices.ContainsFunc(b.Kinds, func(k tool.Kind) bool { return !looks(k) })
	}
	if slices.ContainsFunc(c.Began, changes) {
		return Unknown
	}
	return Dropped
}

// Settle answers the calls that were interrupted: providers refuse a conversation with a call that has no answer. fate
// says what became of each, who can look at what it changed; nil: what the log alone tells. The answers are written
// down when the conversation goes on.
func (l *Log) Settle(fate func(*Interrupted) Fate) { l.settle(fate, 0) }

func (l *Log) settle(fate func(*Interrupted) Fate, from int) {
	for _, c := range l.open(from) {
		c.Fate = Fate{State: c.Alone()}
		if fate != nil {
			c.Fate = fate(c)
		}
		answer := dialect.Answer{
			ID:     c.ID,
			Name:   c.Name,
			Failed: c.State != Committed,
			Parts:  []dialect.Part{dialect.Text(c.words())},
		}
		l.answer(&answer)
		e := entry{Type: "result", Answer: &answer, Tool: c.Tool, State: c.State, Undo: c.Undo}
		l.made(e)
		l.settled = append(l.settled, e)
		l.Interrupted = append(l.Interrupted, *c)
	}
}

// open are the calls without an answer in the messages from one on, in their order.
func (l *Log) open(from int) []*Interrupted {
	open := map[string]Call{}
	var order []string
	for _, m := range l.Messages[from:] {
		switch m := m.(type) {
		case Assistant:
			for _, c := range m.Calls {
				open[c.ID] = c
				order = append(order, c.ID)
			}
		case Results:
			for _, a := range m.Answers {
				delete(open, a.ID)
			}
		}
	}
	var out []*Interrupted
	for _, id := range order {
		if c, ok := open[id]; ok {
			delete(open, id)
			one := *l.of(id)
			one.Call = c
			out = append(out, &one)
		}
	}
	return out
}

// lastPrompt is where the last message of the person stands, 0 without any.
func (l *Log) lastPrompt() int {
	for i, m := range slices.Backward(l.Messages) {
		if _, ok := m.(User); ok {
			return i
		}
	}
	return 0
}

// words are what the model reads in place of the answer.
func (c *Interrupted) words() string {
	switch c.State {
	case NotBegun:
		return "Not begun: helve was ended before this call. Nothing of it was done; " +
			"make it again if it is still wanted."
	case Dropped:
		return "Dropped: helve was ended during this call. Nothing of what it did was kept; " +
			"make it again if it is still wanted."
	case Committed:
		text := "Committed: helve was ended just after this call. What it changed is there; what it printed is lost."
		if c.Undo != "" {
			text += " A person can take it back: helve undo " + c.Undo + "."
		}
		return text
	}
	return "Unknown: helve was ended during this call, and what it did cannot be known. " +
		"Look at what it was to change before you make it again."
}
