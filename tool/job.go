package tool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
)

// A Job is a call understood: what is judged, shown, approved and run. What is approved is what
// runs.
type Job struct {
	Spec *Spec `json:"spec"`
	Call *Call `json:"call"` // with the arguments as checked and repaired

	Title   string   `json:"title"`             // "edit a.go", for people
	Effects []Effect `json:"effects,omitempty"` // nil: unknown, see Judged; empty and not nil: it does nothing

	// Line explains the command line that the job would run; nil: it runs none, or its tool does
	// not explain it, and then policies ask about it.
	Line *CommandLine `json:"line,omitempty"`

	Signature string `json:"signature,omitempty"` // what tells this call from others of its tool: the path, the command
	Rule      string `json:"rule,omitempty"`      // the rule that would allow this and its like: Edit:<dir>/*

	// Preview shows what would happen. It is called at most once, after the policy, and only when
	// somebody will look. nil: nothing to show beyond Title.
	Preview func(context.Context) (Display, error) `json:"-"`

	// Confine has Run do it where it can change, send and learn nothing. It is called at most once,
	// before Run, where the verdict is Confined. nil: that is not possible.
	Confine func() `json:"-"`

	// Review has Run ask (Call.Ask) about all that it changed before any of it is made. It is called at most once,
	// before Run, where the verdict says Review. nil: that is not possible.
	Review func() `json:"-"`

	// Drafted says that what it changes lies in a draft (Call.Draft): somebody sees the difference before it is made, or
	// the mode makes it without a word. The kit sets it.
	Drafted bool `json:"-"`

	// Remote says that Run has another host do it, under that host's own limits: those of this host
	// leave room for what the other makes of them.
	Remote bool `json:"-"`

	// Prompt says that Run comes back as soon as its context is done, whatever it waits for: nobody need watch it from
	// another goroutine, and leave it behind.
	Prompt bool `json:"-"`

	// Run does it. An error becomes Result.Err: an *Error as it is, any other as an execution
	// error.
	Run func(context.Context) (*Result, error) `json:"-"`

	definition func() Digest // of Spec, made once for all jobs of a tool; nil: made anew
}

// An Effect is one thing that a job would do. Targets are root-relative, slash-separated paths with
// links resolved (absolute ones outside every root), command lines for Exec, host names for Net,
// and for State a word for what the tool remembers.
type Effect struct {
	Kind   Kind   `json:"kind"`
	Target string `json:"target"`
}

// AnyTarget stands for effects that are not known before the job runs. Rules that deny or ask match
// it, rules that allow never do.
const AnyTarget = "*"

// NoTarget is the target of an effect that touches nothing that rules guard, which a tool says with Nothing. No pattern
// matches it.
const NoTarget = ""

// Judged is what a policy looks at: the effects, or, if they are unknown, the worst that the tool's
// kind can do.
func (j *Job) Judged() []Effect {
	switch {
	case j.Effects != nil:
		return j.Effects
	case j.Spec.Touches == Nothing:
		return []Effect{{j.Spec.Kind, NoTarget}}
	}
	return []Effect{{j.Spec.Kind, AnyTarget}}
}

// remembersOnly tells that the job is known to change nothing but what its tool remembers.
func (j *Job) remembersOnly() bool {
	return j.Effects != nil && !slices.ContainsFunc(j.Effects, func(e Effect) bool { return e.Kind != State })
}

// A Digest names a job: two Prepares of one call on one state of the world agree on it, on any
// host. Approval, second round, grant and cassette use it as their key.
type Digest string

// Digest is made of the origin, the definition, the arguments, the directory, the effects and,
// where one was shown, the preview.
func (j *Job) Digest(shown Display) Digest {
	definition := j.Spec.Digest
	if j.definition != nil {
		definition = j.definition
	}
	b, err := json.Marshal([]any{
		j.Spec.Origin,
		definition(),
		json.RawMessage(orEmpty(j.Call.Args)),
		j.Call.Dir,
		j.Judged(),
		encodeDisplay(shown),
	})
	if err != nil { // arguments that are no JSON: cannot happen behind the door
		b = append([]byte(err.Error()), j.Call.Args...)
	}
	return digest(b)
}

// Digest names the definition: all that a model or a person is told about the tool. A changed
// definition has another digest.
func (s *Spec) Digest() Digest {
	b, _ := json.Marshal([]any{
		s.Origin, s.Doc, s.Kind, s.ReadOnly, s.Input.Digest(), s.Output.Digest(), string(s.Wire),
	})
	return digest(b)
}

func digest(b []byte) Digest {
	h := sha256.Sum256(b)
	return Digest(hex.EncodeToString(h[:16]))
}

func orEmpty(args json.RawMessage) json.RawMessage {
	if len(args) == 0 {
		return json.RawMessage("{}")
	}
	return args
}
