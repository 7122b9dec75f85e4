package acp

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"helve/cmd/internal/run"
)

// A session is a conversation that the editor shows.
type session struct {
	e    *connection
	id   string
	host *run.Hosted
	life context.Context
	stop context.CancelFunc

	mu    sync.Mutex
	turn  context.CancelCauseFunc // ends the answer to the prompt; nil: none is on its way
	named string                  // as the editor was told

	early []notice // that wait until the editor knows the session

	// Guarded by answering.
	puttings map[string][]putting // of files that the editor holds, by path
	taken    map[string]bool      // calls that were taken back in the editor, by their IDs in the history
	undone   []heldUndo           // the undos in the editor since anything else was changed or undone, the last one last

	answering sync.Mutex // held while a prompt is answered
	asking    sync.Mutex // one question at a time: an answer belongs to the question that was seen
	shown     shown
}

// A notice is what is told beside the answers.
type notice struct{ level, text string }

var errTurn = errors.New("the answer was cancelled")

// turns notes how the answer to a prompt is stopped; nil: none is on its way any more.
func (s *session) turns(stop context.CancelCauseFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn = stop
}

// cancel stops the answer to the prompt, if one is on its way.
func (s *session) cancel() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn != nil {
		s.turn(errTurn)
	}
}

func (s *session) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turn != nil
}

// shown is what the editor was told of the answer that is on its way.
type shown struct {
	mu      sync.Mutex
	calls   map[string]*shownCall // those on their way, by the model's IDs
	n       int                   // calls so far: models use an ID again
	message int                   // answers of the model so far
}

// A shownCall is a call as the editor knows it.
type shownCall struct {
	id, name  string
	title     string
	locations []location
}

// A putting is a text that the editor was given for a file, in place of one that was not saved.
type putting struct{ before, after string }

// tell sends an update of the session.
func (s *session) tell(u update) {
	s.e.tell(noticeUpdate, updateOut{ID: s.id, Update: u})
}

// chunk tells a piece of a message.
func (s *session) chunk(kind, text string) {
	if text == "" {
		return
	}
	s.tell(update{Kind: kind, Content: block{Type: "text", Text: text}, MessageID: s.messageID()})
}

func (s *session) messageID() string { return fmt.Sprintf("%s-%d", s.id, s.shown.message) }

// notice tells what is no part of the answer: as a notice where the editor knows them, else as a thought.
func (s *session) notice(level, text string) {
	if s.host == nil { // the editor does not know the session yet
		s.early = append(s.early, notice{level, text})
		return
	}
	if s.e.capable().Client.Session.Notices != nil {
		u := update{Kind: "notice", Severity: level}
		u.Title = text
		s.tell(u)
		return
	}
	s.tell(update{Kind: "agent_thought_chunk", Content: block{Type: "text", Text: text + "\n"}})
}

// call is one that is on its way.
func (s *session) call(id string) *shownCall {
	s.shown.mu.Lock()
	defer s.shown.mu.Unlock()
	return s.shown.calls[id]
}
