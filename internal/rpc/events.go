package rpc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
)

// maxRetry bounds how long a server may ask a client to stay away.
const maxRetry = time.Minute

// An Event is one of a stream of server-sent events.
type Event struct {
	ID, Name string
	Retry    time.Duration // how long to wait before coming back; 0: nothing said
	Data     []byte
}

// Message tells an event that holds a message of the protocol.
func (e *Event) Message() bool {
	return (e.Name == "" || e.Name == "message") && len(e.Data) > 0
}

// AppendEvent appends a message as an event, which has an id if it is not "".
// The message has no line ends.
func AppendEvent(b []byte, id string, msg []byte) []byte {
	if id != "" {
		b = append(b, "id: "...)
		b = append(b, id...)
		b = append(b, '\n')
	}
	b = append(b, "event: message\ndata: "...)
	b = append(b, msg...)
	return append(b, '\n', '\n')
}

// AppendOpening appends the empty event that tells a client how to come back to
// a stream, and after how long.
func AppendOpening(b []byte, id string, retry time.Duration) []byte {
	b = append(b, "id: "...)
	b = append(b, id...)
	b = append(b, "\nretry: "...)
	b = strconv.AppendInt(b, retry.Milliseconds(), 10)
	return append(b, "\ndata: \n\n"...)
}

// ReadEvents calls each for every event until the stream ends or each wants no
// more. An event of more than max bytes is ErrLong.
func ReadEvents(r io.Reader, max int, each func(Event) bool) error {
	in := bufio.NewReaderSize(r, readBuffer)
	var e Event
	size := 0
	for {
		line, err := readEventLine(in, max)
		if err != nil {
			return err
		}
		if size += len(line); size > max {
			return ErrLong
		}
		if len(line) > 0 {
			e.field(line)
			continue
		}
		something := e.ID != "" || e.Data != nil || e.Retry != 0
		if something && !each(e) {
			return nil
		}
		e, size = Event{}, 0
	}
}

// readEventLine reads a line of any length up to max, which the buffer of in may be shorter than.
func readEventLine(in *bufio.Reader, max int) ([]byte, error) {
	var long []byte
	for {
		part, err := in.ReadSlice('\n')
		if long = append(long, part...); err == nil {
			return bytes.TrimRight(long, "\r\n"), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		if len(long) > max {
			return nil, ErrLong
		}
	}
}

// field takes one line of an event. Unknown fields and comments, which have no name, mean nothing,
// as the specification of event streams wants it. A wish to wait for ever is cut: we would never
// come back.
func (e *Event) field(line []byte) {
	name, value, _ := strings.Cut(string(line), ":")
	value = strings.TrimPrefix(value, " ")
	switch name {
	case "id":
		e.ID = value
	case "event":
		e.Name = value
	case "retry":
		ms, err := strconv.Atoi(value)
		if err == nil && ms >= 0 {
			ms = min(ms, int(maxRetry.Milliseconds()))
			e.Retry = time.Duration(ms) * time.Millisecond
		}
	case "data":
		if e.Data != nil {
			e.Data = append(e.Data, '\n')
		}
		e.Data = append(e.Data, value...)
	}
}
