package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// streamPause lies between two attempts to open the stream of what a server says unasked; it doubles up to streamPauseMax.
	streamPause    = time.Second
	streamPauseMax = time.Minute
)

// An event is one of a stream of server-sent events.
type event struct {
	id, name string
	retry    time.Duration
	data     []byte
}

// readEvents calls each for every event until the stream ends.
func readEvents(r io.Reader, each func(event)) error {
	in := bufio.NewReaderSize(r, 32<<10)
	var e event
	size := 0
	for {
		line, err := readLine(in)
		if err != nil {
			return err
		}
		if size += len(line); size > maxLine {
			return errLine
		}
		if len(line) == 0 {
			if e.id != "" || e.data != nil || e.retry != 0 {
				each(e)
			}
			e, size = event{}, 0
			continue
		}
		e.field(line)
	}
}

func readLine(in *bufio.Reader) ([]byte, error) {
	var long []byte
	for {
		part, err := in.ReadSlice('\n')
		if long = append(long, part...); err == nil {
			return bytes.TrimRight(long, "\r\n"), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		if len(long) > maxLine {
			return nil, errLine
		}
	}
}

func (e *event) field(line []byte) {
	name, value, _ := strings.Cut(string(line), ":")
	value = strings.TrimPrefix(value, " ")
	switch name {
	case "id":
		e.id = value
	case "event":
		e.name = value
	case "retry":
		if ms, err := strconv.Atoi(value); err == nil && ms >= 0 {
			e.retry = min(time.Duration(ms)*time.Millisecond, streamPauseMax)
		}
	case "data":
		if e.data != nil {
			e.data = append(e.data, '\n')
		}
		e.data = append(e.data, value...)
	}
}

// listen follows the stream on which a server of the older era says what it was not asked for: requests, changed lists. A server may
// have none. It runs until the wire closes; open is closed when the first attempt was answered.
func (w *wire) listen(open chan struct{}) {
	pause, last := streamPause, ""
	answered := sync.OnceFunc(func() { close(open) })
	for w.life.Err() == nil {
		start := time.Now()
		retry, err := w.follow(&last, answered)
		answered()
		if errors.Is(err, errNoStream) {
			return
		}
		if time.Since(start) > streamPauseMax {
			pause = streamPause
		}
		wait := pause
		if retry > 0 {
			wait = retry
		}
		pause = min(2*pause, streamPauseMax)
		select {
		case <-time.After(wait):
		case <-w.life.Done():
		}
	}
}

var errNoStream = errors.New("the server offers no stream")

// follow opens the stream once and reads it to its end.
func (w *wire) follow(last *string, answered func()) (retry time.Duration, err error) {
	req, err := http.NewRequestWithContext(w.life, http.MethodGet, w.url, nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Accept", "text/event-stream")
	if id := w.conn.SessionID(); id != "" {
		req.Header.Set("Mcp-Session-Id", id)
	}
	if *last != "" {
		req.Header.Set("Last-Event-ID", *last)
	}
	if err := w.authorize(req); err != nil {
		return 0, err
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	answered()
	if resp.StatusCode >= 400 && resp.StatusCode < 500 || resp.StatusCode < 300 && !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return 0, errNoStream
	}
	if resp.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("stream: HTTP %d", resp.StatusCode)
	}
	err = readEvents(resp.Body, func(e event) {
		if e.id != "" {
			*last = e.id
		}
		if e.retry > 0 {
			retry = e.retry
		}
		if m, err := decode(e.data); err == nil && (e.name == "" || e.name == "message") {
			w.hand(m)
		}
	})
	return retry, err
}

// authorize adds the token that the calls have.
func (w *wire) authorize(r *http.Request) error {
	if w.oauth == nil {
		return nil
	}
	ts, err := w.oauth.TokenSource(w.life)
	if err != nil || ts == nil {
		return err
	}
	t, err := ts.Token()
	if err != nil {
		return err
	}
	t.SetAuthHeader(r)
	return nil
}
