package tool

import (
	"encoding/json"
	"time"
)

// A round is what a call with a Need leaves behind and gets back: which job it was about, whether
// that was approved already, and the state of whoever wanted input. Nothing is held in memory
// between two rounds.
type round struct {
	Key      Digest   `json:"key"`
	Approved bool     `json:"approved,omitempty"` // a person said yes; now the tool itself wants input
	By       Approver `json:"by,omitzero"`        // who that was
	Ran      bool     `json:"ran,omitempty"`      // the Need is the tool's, not the approval's
	Inner    []byte   `json:"inner,omitempty"`

	answers json.RawMessage
	took    time.Duration
}

// Unasked is the Resume of answers that came without the state of a round: a tool that runs without
// approval gets them, and any other call is asked about as if there were none.
func Unasked(answers json.RawMessage) *Resume {
	state, _ := json.Marshal(round{Ran: true}) // cannot fail
	return &Resume{State: state, Answers: answers}
}

// openRound reads the state that came back. One that belongs to another job is as none: it will be
// asked again.
func openRound(r *Resume, key Digest) round {
	if r == nil { // nearly every call: it must not pay for reading a state
		return round{}
	}
	var in round
	if json.Unmarshal(r.State, &in) != nil || in.Key != key {
		return round{}
	}
	in.answers, in.took = r.Answers, r.Took
	return in
}

// in is the job as the asker sees it: with the answers to its own questions, and to no others.
func (in round) in(j *Job) *Job {
	own, call := *j, *j.Call
	call.Resume = nil
	if in.answers != nil && !in.Ran {
		call.Resume = &Resume{State: in.Inner, Answers: in.answers, Took: in.took}
	}
	own.Call = &call
	return &own
}

// waited is how long whoever is asked about the job took to answer in this round.
func (in round) waited(asked *Job) time.Duration {
	if asked.Call.Resume == nil {
		return 0
	}
	return in.took
}

// inner is what the running tool sees of the resume.
func (in round) inner() *Resume {
	if !in.Ran {
		return nil
	}
	return &Resume{State: in.Inner, Answers: in.answers, Took: in.took}
}

// next wraps a Need so that its answer finds back.
func (round) next(key Digest, by Approver, n *Need) *Need {
	approved := by.Kind != "" && key != ""
	ran := approved || key == ""
	state, _ := json.Marshal(round{Key: key, Approved: approved, By: by, Ran: ran, Inner: n.State})
	return &Need{State: state, Requests: n.Requests, Here: n.Here, SoFar: n.SoFar}
}
