package agent

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"helve/engine/dialect"
	"helve/tool"
)

// A Log is a conversation as it was recorded.
type Log struct {
	Messages []Message
	Left     bool     // plan mode was left
	Replies  []*Reply // every answer of the model, in order, those that were compacted away included
	Prompts  []string // what the person said, likewise
	Model    string
	Said     []Spoken // who said what, likewise; what was taken back is not in it
	Ended    bool     // the last run came to its end
	// Interrupted are the calls that were under way when the last run was killed, each with what became of it.
	Interrupted []Interrupted

	watched bool
	noted   bool                    // it has lines calling
	begun   map[string]*Interrupted // calls of the last answer, by ID
	turns   []turnEnd
	settled []entry // the answers that Settle gave: the next run writes them down
}

// A Spoken is one message of a conversation, as people read it.
type Spoken struct {
	Turn  int // the prompt that it belongs to, from 1
	Role  string
	Text  string
	Calls []Made

	Images []dialect.Media // that stand beside the text of a prompt
}

// The roles of what is spoken.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
)

// A Made is a call of a conversation, with its answer.
type Made struct {
	Call
	Tool   string // as the kit knows it; "": it never came so far
	Failed bool
	Text   string // of the answer
	State  State
	Undo   string // what helve undo takes; "": it changed no files

	Code tool.Code // of its failure; "": it is not known, or did not fail
}

// A turnEnd is how a conversation stood when a turn had ended.
type turnEnd struct {
	messages []Message
	said     int
	replies  int
	left     bool
}

// ErrNewer says that a log was written by a newer version, whose form is not known here.
var ErrNewer = errors.New("it was written by a newer version of helve")

// Read reads a session log. A last line that is cut off, as by a crash, is left out. Calls without an answer get one
// that says what became of them, as far as the log alone tells: see Settle.
func Read(r io.Reader) (*Log, error) {
	out, err := ReadOpen(r)
	if err != nil {
		return nil, err
	}
	out.Settle(nil)
	return out, nil
}

// ReadOpen is Read, but for the calls that were interrupted: Settle is still to be called.
func ReadOpen(r io.Reader) (*Log, error) {
	out := &Log{begun: map[string]*Interrupted{}}
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, maxLine)
	for n := 1; sc.Scan(); n++ {
		var e entry
		if err := json.Unmarshal(sc.Bytes(), &e); err != nil {
			if !sc.Scan() && sc.Err() == nil {
				break
			}
			return nil, fmt.Errorf("session log: line %d: %w", n, err)
		}
		if e.Version > logVersion {
			return nil, fmt.Errorf("session log: line %d: %w", n, ErrNewer)
		}
		out.add(e)
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("session log: %w", err)
	}
	return out, nil
}

func (l *Log) add(e entry) {
	l.Ended = e.Type == "end"
	switch e.Type {
	case "start":
		l.Model, l.watched, l.noted = e.Model, e.Watched, e.Version > 0
	case "mode":
		l.Left = true
	case "user":
		l.settle(nil, l.lastPrompt()) // a log of an older version, which did not write down how it was settled
		l.endTurn()
		l.Prompts = append(l.Prompts, e.Text)
		l.Messages = append(l.Messages, e.user())
		l.say(RoleUser, e.Text, nil)
		l.Said[len(l.Said)-1].Images = e.Images
	case "go_on": // said to the model by the loop, and no prompt
		l.Messages = append(l.Messages, e.user())
	case "assistant":
		l.reply(e)
	case "calling":
		l.of(e.Call).Called, l.of(e.Call).Tool, l.of(e.Call).Reads = true, e.Tool, e.Reads
	case "began":
		if e.Began != nil {
			l.of(e.Call).Began = append(l.of(e.Call).Began, *e.Began)
		}
	case "result":
		if e.Answer != nil {
			l.answer(e.Answer)
			l.made(e)
		}
	case "compact":
		l.Messages = nil
		for _, m := range e.Messages {
			l.plain(m)
		}
	case "back":
		l.back(e.Turn)
	}
}

// of is what is known of a call that may be under way.
func (l *Log) of(id string) *Interrupted {
	if l.begun[id] == nil {
		l.begun[id] = &Interrupted{watched: l.watched, noted: l.noted}
	}
	return l.begun[id]
}

// endTurn remembers how the conversation stands when the next prompt comes.
func (l *Log) endTurn() {
	if len(l.Prompts) > 0 {
		l.turns = append(l.turns, l.here())
	}
}

func (l *Log) here() turnEnd {
	return turnEnd{slices.Clip(l.Messages), len(l.Said), len(l.Replies), l.Left}
}

// back has a turn be the last one that counts.
func (l *Log) back(turn int) {
	if turn < 1 || turn > len(l.turns) {
		return // to the last one, which counts already, or to none
	}
	at := l.turns[turn-1]
	l.turns = l.turns[:turn-1]
	l.Messages, l.Left = at.messages, at.left
	l.Said, l.Replies, l.Prompts = l.Said[:at.said], l.Replies[:at.replies], l.Prompts[:turn]
	clear(l.begun)
}

// Turns is how many prompts the conversation has.
func (l *Log) Turns() int { return len(l.Prompts) }

func (l *Log) say(role, text string, calls []Call) {
	s := Spoken{Turn: len(l.Prompts), Role: role, Text: text}
	for _, c := range calls {
		s.Calls = append(s.Calls, Made{Call: c, State: Finished})
	}
	l.Said = append(l.Said, s)
}

func (l *Log) reply(e entry) {
	m := e.assistant()
	l.Messages = append(l.Messages, m)
	reply := &Reply{Assistant: m, Stop: e.Stop}
	if e.Usage != nil {
		reply.Usage = *e.Usage
	}
	l.Replies = append(l.Replies, reply)
	clear(l.begun)
	l.say(RoleAssistant, m.Text, m.Calls)
}

// made notes the answer of a call where it was made.
func (l *Log) made(e entry) {
	for i := range slices.Backward(l.Said) {
		for j := range l.Said[i].Calls {
			m := &l.Said[i].Calls[j]
			if m.ID != e.Answer.ID {
				continue
			}
			m.Tool, m.Failed, m.Text, m.Undo = e.Tool, e.Answer.Failed, texts(*e.Answer), e.Undo
			m.Code = e.Code
			if e.State != "" {
				m.State = e.State
			}
			return
		}
	}
}

func (e entry) assistant() Assistant {
	if e.Assistant == nil {
		return Assistant{Text: e.Text}
	}
	m := *e.Assistant
	m.Text = e.Text
	return m
}

func (e entry) user() User { return User{Text: e.Text, Images: e.Images} }

func (l *Log) plain(e entry) {
	switch e.Type {
	case "user":
		l.Messages = append(l.Messages, e.user())
	case "assistant":
		l.Messages = append(l.Messages, e.assistant())
	case "result":
		l.answer(e.Answer)
	}
}

// answer adds an answer to those of the last message.
func (l *Log) answer(a *dialect.Answer) {
	if a == nil {
		return
	}
	if n := len(l.Messages); n > 0 {
		if r, ok := l.Messages[n-1].(Results); ok {
			l.Messages[n-1] = Results{append(slices.Clip(r.Answers), *a)}
			return
		}
	}
	l.Messages = append(l.Messages, Results{[]dialect.Answer{*a}})
}
