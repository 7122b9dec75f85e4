package agent

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"helve/engine/dialect"
)

// lastInput remembers how long the conversation has become.
func (a *Agent) lastInput(u Usage) {
	if u.Input+u.Output > 0 {
		a.size = u.Input + u.Output
	}
}

// compact has the conversation shortened when it is too long.
func (a *Agent) compact(ctx context.Context, l Limits, out *Outcome) error {
	if a.Compact == nil || a.size <= l.CompactAt {
		return nil
	}
	before := len(a.History)
	shorter, err := a.Compact(ctx, a.model(l), a.History)
	if err != nil {
		return fmt.Errorf("compact the conversation: %w", err)
	}
	a.History, a.size = shorter, 0
	a.record(entry{Type: "compact", Messages: entries(shorter)})
	a.emit(Compacted{before, len(shorter)})
	return nil
}

const summaryWords = "Summarise the conversation so far for somebody who has to go on with it: what was asked, " +
	"what was found out, which files were changed and how, what was decided and why, what is left to do, and which " +
	"questions are open. Names, numbers and paths exactly."

const (
	// maxShownResult is how much of a result the summary is made from, in bytes.
	maxShownResult = 4_000
	// maxTranscript is what one request for a summary holds, in bytes, some 80,000 tokens: a longer conversation is
	// summed up in several.
	maxTranscript = 320_000
)

// Summarise is a Compactor: the model itself sums up all but the last keep messages. What the person said, the plan,
// the list of what is to be done and the files in work are kept beside its words: they do not depend on them.
func Summarise(keep int) Compactor {
	return func(ctx context.Context, m Model, messages []Message) ([]Message, error) {
		cut := border(messages, keep)
		if cut <= 0 {
			return messages, nil
		}
		sum := ""
		for text := range pieces(transcript(messages[:cut]), maxTranscript) {
			if sum != "" {
				text = "What came before, summed up:\n" + sum + "\n\nAnd then:\n" + text
			}
			r := &Request{System: summaryWords, Messages: []Message{User{Text: text}}}
			reply, err := m.Answer(ctx, r, func(Delta) {})
			if err != nil {
				return nil, err
			}
			sum, _, _ = strings.Cut(reply.Text, carriedMark) // what follows the mark nobody but the person has said
		}
		first := User{Text: summed + sum + carriedFrom(messages[:cut]).text()}
		return append([]Message{first}, messages[cut:]...), nil
	}
}

// summed stands above a summary.
const summed = "The conversation so far, summed up:\n"

// pieces cuts a text into parts of at most size bytes, between lines where there are some.
func pieces(text string, size int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(text) > size {
			at := strings.LastIndexByte(text[:size], '\n') + 1
			if at == 0 {
				at = size
			}
			if !yield(strings.ToValidUTF8(text[:at], "")) {
				return
			}
			text = text[at:]
		}
		yield(text)
	}
}

// border is where the last keep messages begin, moved back so that no answer loses its call.
func border(messages []Message, keep int) int {
	cut := max(0, len(messages)-keep)
	for cut > 0 && cut < len(messages) {
		if _, ok := messages[cut].(Results); !ok {
			break
		}
		cut--
	}
	return cut
}

func transcript(messages []Message) string {
	var b strings.Builder
	for _, m := range messages {
		switch m := m.(type) {
		case User:
			said, _, _ := strings.Cut(m.Text, carriedMark) // what is kept beside a summary is kept again
			fmt.Fprintf(&b, "Person: %s\n", said)
		case Assistant:
			if m.Text != "" {
				fmt.Fprintf(&b, "Assistant: %s\n", m.Text)
			}
			for _, c := range m.Calls {
				fmt.Fprintf(&b, "Assistant calls %s %s\n", c.Name, shorten(c.Args, maxShownResult))
			}
		case Results:
			for _, a := range m.Answers {
				fmt.Fprintf(&b, "%s answers: %s\n", a.Name, shorten(texts(a), maxShownResult))
			}
		}
	}
	return b.String()
}

func texts(a dialect.Answer) string {
	var out []string
	for _, p := range a.Parts {
		if t, ok := p.(dialect.Text); ok {
			out = append(out, string(t))
		}
	}
	return strings.Join(out, "\n")
}

func shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	tail := most / 4 // what a command found stands at its end as often as at its beginning
	return strings.ToValidUTF8(s[:most-tail], "") + " […] " + strings.ToValidUTF8(s[len(s)-tail:], "")
}
