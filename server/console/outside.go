package console

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"helve/internal/visible"
	"helve/tool"
)

// An Outside is a question about what another program would do, such as a client that asks nobody about its own tools:
// no call of this program waits for the answer.
type Outside struct {
	Client, Session string // who would do it, and in which of its conversations
	Tool            string // by its own name
	Kind            tool.Kind
	Title, Why      string
	Where           string // in words: the folder
	Text            string // all that it would do; "": it is too long to be shown, and cannot be approved here
}

// Outside shows a question to every page, until somebody answers it or ctx is done. A yes holds once.
func (h *Hub) Outside(ctx context.Context, o Outside) (yes bool, err error) {
	held, err := h.outside(o)
	if err != nil {
		return false, err
	}
	if err := h.post(held); err != nil {
		return false, err
	}
	defer h.take(held)
	select {
	case a := <-held.said:
		return a.Yes, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// outside is such a question as pages have it.
func (h *Hub) outside(o Outside) (*question, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	held := &question{said: make(chan tool.Answer, 1)}
	sum := sha256.Sum256(text)
	held.ID, held.Digest, held.Outside = rand.Text(), tool.Digest(hex.EncodeToString(sum[:])), true
	held.Since = time.Now()
	held.Tool, held.Source, held.Kind = clip(o.Tool, maxTitle), clip(visible.Line(o.Client), maxClient), o.Kind.String()
	held.Title, held.Why = clip(visible.Line(o.Title), maxTitle), clip(visible.Line(o.Why), maxTitle)
	held.Note = clip(o.Where, maxTitle)
	held.Session, held.Client = o.Session, held.Source
	held.TooLong = o.Text == ""
	held.Preview = clip(o.Text, maxShown)
	if len(held.Preview) != len(o.Text) {
		return nil, errors.New("console: the question is too long")
	}
	return held, nil
}
