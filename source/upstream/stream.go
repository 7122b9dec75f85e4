package upstream

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"helve/internal/redirect"
	"helve/internal/rpc"
)

const (
	// streamPause is between two attempts to open the stream of what a server
	// says unasked; it doubles up to streamPauseMax.
	streamPause    = time.Second
	streamPauseMax = time.Minute
	// maxResumes is how often a stream is gone on with that brings nothing new.
	maxResumes = 2
)

// readEvents calls each for every event until the stream ends or each wants no
// more.
func readEvents(r io.Reader, each func(rpc.Event) bool) error {
	err := rpc.ReadEvents(r, maxLine, each)
	if errors.Is(err, rpc.ErrLong) {
		return errLine
	}
	return err
}

// stream reads the answer of a call that comes as events, on further
// connections where one breaks and the server can go on. A call is never sent
// again: it may have run.
func (w *wire) stream(ctx context.Context, call []byte, resp *http.Response) {
	var seen cursor
	for tries := 0; ; tries++ {
		before := seen.last
		if w.events(resp, &seen, call) || ctx.Err() != nil {
			return
		}
		if seen.last != before {
			tries = 0
		}
		if seen.last == "" || tries > maxResumes {
			w.unanswered(call, "the stream ended before the answer")
			return
		}
		var err error
		if resp, err = w.resume(ctx, &seen, tries); err != nil {
			if ctx.Err() == nil {
				w.unanswered(call, "the stream broke off: "+err.Error())
			}
			return
		}
	}
}

// A cursor is how far a stream was read.
type cursor struct {
	last  string        // the id of the last event; "" where the server gives none
	retry time.Duration // how long it asks to wait before going on
}

// events hands on what a stream brings and says whether the answer with the id
// was in it; no id, no answer.
func (w *wire) events(resp *http.Response, seen *cursor, id []byte) (done bool) {
	defer resp.Body.Close()
	_ = readEvents(resp.Body, func(e rpc.Event) bool {
		if e.ID != "" {
			seen.last = e.ID
		}
		if e.Retry > 0 {
			seen.retry = e.Retry
		}
		if !e.Message() {
			return true
		}
		m := rpc.ParseLoosely(e.Data)
		if m == nil {
			return true
		}
		done = id != nil && m.Method == "" && bytes.Equal(m.ID, id)
		return w.hand(m) && !done
	})
	return done
}

// resume opens a stream again where it broke off.
func (w *wire) resume(ctx context.Context, seen *cursor, tries int) (*http.Response, error) {
	pause := min(streamPause<<tries, streamPauseMax)
	if seen.retry > 0 {
		pause = seen.retry
	}
	select {
	case <-time.After(pause):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	resp, err := w.get(ctx, seen.last)
	if err == nil && !isStream(resp) {
		resp.Body.Close()
		err = &statusError{resp.StatusCode}
	}
	return resp, err
}

// get opens a stream of events.
func (w *wire) get(ctx context.Context, last string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	if last != "" {
		req.Header.Set(rpc.HeaderLast, last)
	}
	if err := w.identify(req); err != nil {
		return nil, err
	}
	return w.client.Do(req)
}

func isStream(resp *http.Response) bool {
	kind := resp.Header.Get("Content-Type")
	return resp.StatusCode == http.StatusOK && strings.HasPrefix(kind, "text/event-stream")
}

// listen follows the stream on which a server of the session protocol says what
// it was not asked for: requests, changed lists. A server may have none. It
// runs until the wire closes; open is closed when the first attempt was
// answered.
func (w *wire) listen(open chan struct{}) {
	pause := streamPause
	var seen cursor
	answered := sync.OnceFunc(func() { close(open) })
	defer answered()
	for w.life.Err() == nil {
		start := time.Now()
		seen.retry = 0
		resp, err := w.get(w.life, seen.last)
		answered()
		switch {
		case err != nil:
		case isStream(resp):
			w.events(resp, &seen, nil)
		default:
			resp.Body.Close()
			if resp.StatusCode < 500 {
				return // it offers no stream
			}
		}
		if time.Since(start) > streamPauseMax {
			pause = streamPause
		}
		wait := pause
		if seen.retry > 0 {
			wait = seen.retry
		}
		pause = min(2*pause, streamPauseMax)
		select {
		case <-time.After(wait):
		case <-w.life.Done():
		}
	}
}

// dial opens the one stream of the older transport. Its first event says where
// messages go, which is the same server.
func (w *wire) dial(ctx context.Context) error {
	// The stream lives as long as the wire, not as long as its opening.
	stop := context.AfterFunc(ctx, w.end)
	defer stop()
	resp, err := w.get(w.life, "")
	if err != nil {
		return cmp.Or(ctx.Err(), err)
	}
	if !isStream(resp) {
		resp.Body.Close()
		return fmt.Errorf("connect: %w", &statusError{resp.StatusCode})
	}
	to, home := make(chan string, 1), w.url
	w.aside(func() {
		defer resp.Body.Close()
		err := readEvents(resp.Body, func(e rpc.Event) bool { return w.oldEvent(e, home, to) })
		w.fail(cmp.Or(err, io.EOF))
	})
	select {
	case w.url = <-to:
	case err := <-w.broken:
		return fmt.Errorf("connect: the stream ended: %w", err)
	case <-w.life.Done():
		return cmp.Or(ctx.Err(), io.EOF)
	}
	if redirect.Origin(w.url) != w.head.origin {
		return fmt.Errorf("connect: messages should go to %s, which is another server", redirect.Origin(w.url))
	}
	return nil
}

func (w *wire) oldEvent(e rpc.Event, home string, to chan string) bool {
	if e.Name == "endpoint" {
		select {
		case to <- join(home, string(e.Data)):
		default: // the first one counts
		}
		return true
	}
	m := rpc.ParseLoosely(e.Data)
	return m == nil || w.hand(m)
}

// join makes an address whole; what cannot be read is no address.
func join(home, ref string) string {
	base, err := url.Parse(home)
	if err != nil {
		return ""
	}
	u, err := base.Parse(ref)
	if err != nil {
		return ""
	}
	return u.String()
}
