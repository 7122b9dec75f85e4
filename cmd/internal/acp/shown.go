package acp

import (
	"encoding/base64"
	"fmt"
	"time"

	"helve/agent"
	"helve/cmd/internal/command"
	"helve/tool"
)

// event shows what the agent does. It is called by one goroutine at a time.
func (s *session) event(e agent.Event) {
	switch e := e.(type) {
	case agent.Said:
		s.chunk("agent_message_chunk", e.Text)
	case agent.Thought:
		s.chunk("agent_thought_chunk", e.Text)
	case agent.Calling:
		s.calling(e)
	case agent.Progress:
		s.progress(e)
	case agent.Called:
		s.called(e)
	case agent.Turn:
		s.turned(e)
	case agent.Again:
		s.shown.message++ // what was said of it does not count
		const again = "the answer is asked for again, try %d of %d; its text so far does not count: %v"
		s.notice("warning", fmt.Sprintf(again, e.Try, e.Of, e.Err))
	case agent.Left:
		s.tellMode()
	case agent.Switched:
		s.notice("warning", fmt.Sprintf("%s is down, %s answers from now on: %v", e.From, e.To, e.Err))
	case agent.Compacted:
		s.compacted(e)
	}
}

// turned is the end of one answer of the model.
func (s *session) turned(e agent.Turn) {
	s.shown.message++
	if used, size := e.Usage.Input+e.Usage.Output, s.host.Window(); used > 0 {
		s.tell(update{Kind: "usage_update", Used: &used, Size: &size})
	}
}

func (s *session) compacted(e agent.Compacted) {
	text := fmt.Sprintf("older messages were summed up: %d are %d now", e.Before, e.After)
	if s.e.capable().Client.Session.Compaction == nil {
		s.notice("info", text)
		return
	}
	s.shown.n++
	u := update{Kind: "compaction_update", Compacted: fmt.Sprintf("%s-c%d", s.id, s.shown.n)}
	u.Status = "completed"
	s.tell(u)
}

// calling shows a call that begins, by what the model wrote. What it means is told when it is understood.
func (s *session) calling(e agent.Calling) {
	s.shown.mu.Lock()
	s.shown.n++
	c := &shownCall{id: fmt.Sprintf("%s-%d", s.id, s.shown.n), name: e.Name, title: e.Name}
	if s.shown.calls == nil {
		s.shown.calls = map[string]*shownCall{}
	}
	s.shown.calls[e.ID] = c
	s.shown.mu.Unlock()
	u := update{Kind: "tool_call", toolCall: s.describe(c)}
	u.Status, u.Input = "pending", rawOf([]byte(e.Args))
	s.tell(u)
}

// describe is what is known of a call.
func (s *session) describe(c *shownCall) toolCall {
	return toolCall{CallID: c.id, Title: c.title, Name: c.name, Class: s.class(c.name), Locations: c.locations}
}

// watch tells what a call means, once that is known, and that it runs. Calls that calls make are theirs.
func (s *session) watch(e tool.Event) {
	c := s.call(e.Job.Call.ID)
	if c == nil || e.Job.Call.Parent != "" {
		return
	}
	switch e.Step {
	case tool.Judged:
		s.shown.mu.Lock()
		c.title = titleOf(e.Job)
		c.locations = locationsOf(s.host.Workspace().Dirs(), e.Job)
		s.shown.mu.Unlock()
		s.tell(update{Kind: "tool_call_update", toolCall: s.describe(c)})
	case tool.Began:
		u := update{Kind: "tool_call_update"}
		u.CallID, u.Status = c.id, "in_progress"
		s.tell(u)
	}
}

// progress shows the last lines that a call printed.
func (s *session) progress(e agent.Progress) {
	c := s.call(e.ID)
	if c == nil || e.Message == "" {
		return
	}
	u := update{Kind: "tool_call_update", Content: []toolContent{textContent(e.Message)}}
	u.CallID, u.Status = c.id, "in_progress"
	s.tell(u)
}

// called shows what a call came to.
func (s *session) called(e agent.Called) {
	c := s.call(e.ID)
	if c == nil { // one that was refused before it began
		s.calling(agent.Calling{ID: e.ID, Name: e.Name, Args: "{}"})
		c = s.call(e.ID)
	}
	s.shown.mu.Lock()
	delete(s.shown.calls, e.ID)
	s.shown.mu.Unlock()
	content := resultContent(s.host.Workspace().Dir(), e.Result)
	u := update{Kind: "tool_call_update", Content: content}
	u.CallID, u.Status, u.Output = c.id, "completed", rawOf(e.Result.Data)
	if e.Result.Err != nil {
		u.Status = "failed"
	}
	if lines := diffLocations(content); lines != nil {
		u.Locations = lines
	}
	s.tell(u)
	if list, ok := e.Result.Display.(tool.Todos); ok {
		s.plan(list)
	}
}

// plan shows a list of what is to be done.
func (s *session) plan(list tool.Todos) {
	entries := []planEntry{}
	for _, it := range list.Items {
		entries = append(entries, planEntry{Content: it.Content, Priority: it.Priority, Status: it.Status})
	}
	s.tell(update{Kind: "plan", Entries: entries})
}

// replay tells the editor what was said in a session.
func (s *session) replay() error {
	said, err := s.host.Said()
	if err != nil {
		return err
	}
	for _, m := range said {
		s.shown.message++
		if m.Role == agent.RoleUser {
			s.chunk("user_message_chunk", m.Text)
			for _, image := range m.Images {
				data := base64.StdEncoding.EncodeToString(image.Data)
				content := block{Type: "image", MIME: image.MIME, Data: data}
				s.tell(update{Kind: "user_message_chunk", Content: content, MessageID: s.messageID()})
			}
			continue
		}
		s.chunk("agent_message_chunk", m.Text)
		for _, c := range m.Calls {
			s.replayCall(c)
		}
	}
	s.tellName()
	return nil
}

// replayCall tells a call that is over.
func (s *session) replayCall(made agent.Made) {
	s.shown.n++
	name := made.Tool
	if name == "" {
		name = made.Name
	}
	u := update{Kind: "tool_call", Content: []toolContent{textContent(made.Text)}}
	u.toolCall = toolCall{
		CallID: fmt.Sprintf("%s-%d", s.id, s.shown.n),
		Title:  command.Brief(name + " " + command.OneLine(made.Args)),
		Name:   name,
		Class:  s.class(name),
		Status: "completed",
		Input:  rawOf([]byte(made.Args)),
	}
	if made.Failed {
		u.Status = "failed"
	}
	s.tell(u)
}

// tellName says what the session is called, when that is new.
func (s *session) tellName() {
	name := command.OneLine(s.host.Name())
	s.mu.Lock()
	known := s.named == name
	s.named = name
	s.mu.Unlock()
	if known || name == "" {
		return
	}
	u := update{Kind: "session_info_update", Updated: time.Now().UTC().Format(time.RFC3339)}
	u.Title = name
	s.tell(u)
}
