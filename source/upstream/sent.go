package upstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"helve/internal/rpc"
)

// What a message that was not answered may have done. A server has to have it as a whole to act on it, and what it
// refuses before it reads it did not run.

const (
	// restTime is how long a call waits for a server that rests before its restart: as long as nobody is impatient.
	restTime = 2 * time.Second
	// passTime is how long to wait for a server that refuses connections before it is tried once more.
	passTime = 100 * time.Millisecond
)

// A passing error is one of a message that its server did not take, and may take soon: it is being started again.
type passing struct {
	error
	pause time.Duration // before it is worth trying
}

func (p *passing) Error() string { return "it takes no calls now: " + p.error.Error() }

func (p *passing) Unwrap() error { return p.error }

// mayHaveRun is the error of a message that went out as a whole, or was answered by somebody between.
type mayHaveRun struct{ error }

func (m *mayHaveRun) Unwrap() []error { return []error{m.error, rpc.ErrBroken} }

// A sending notes whether a request went out as a whole. The zero value is ready.
type sending struct{ whole atomic.Bool }

// trace has the requests of a context noted.
func (s *sending) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn:      func(string) { s.whole.Store(false) }, // a further one: a redirect, a broken connection
		WroteRequest: func(w httptrace.WroteRequestInfo) { s.whole.Store(w.Err == nil) },
	})
}

// failed says of the error of a request what it may have done.
func (s *sending) failed(err error) error {
	if errors.Is(err, context.Canceled) { // who gave up knows that; everybody else hears of the connection
		err = errors.New("the connection was ended")
	}
	if s.whole.Load() {
		return &mayHaveRun{err}
	}
	op, dialled := errors.AsType[*net.OpError](err)
	_, nameless := errors.AsType[*net.DNSError](err)
	if dialled && op.Op == "dial" && !nameless && !op.Timeout() {
		err = &passing{err, passTime}
	}
	return rpc.Unsent(err)
}

// unserved is the error of an answer whose status is no success, with what the server says in the form of the protocol.
func unserved(resp *http.Response, m *rpc.Message) error {
	var err error = &statusError{resp.StatusCode}
	said := m != nil && m.Err != nil
	if said {
		err = m.Err // servers of the stateless protocol answer what is wrong with the request in this way
	}
	code, after := resp.StatusCode, resp.Header.Get("Retry-After")
	if after != "" && (code == http.StatusServiceUnavailable || code == http.StatusTooManyRequests) {
		s, bad := strconv.Atoi(after) // it may be a date: nobody says so of what is over in two seconds
		if pause := time.Duration(s) * time.Second; bad == nil && s >= 0 && pause < restTime {
			err = &passing{err, cmp.Or(pause, passTime)}
		}
		return rpc.Unsent(err)
	}
	if code >= http.StatusInternalServerError && !said { // somebody between may have lost the answer
		return &mayHaveRun{err}
	}
	return err
}

// A statusError is an answer of HTTP that was no success.
type statusError struct{ code int }

func (e *statusError) Error() string {
	return fmt.Sprintf("HTTP %d %s", e.code, http.StatusText(e.code))
}

// sessionOver tells whether an answer says that the server does not know the session. The protocol has a status for
// that; many servers that were started again say it in words.
func sessionOver(session string, resp *http.Response, m *rpc.Message) bool {
	switch {
	case session == "":
		return false
	case resp.StatusCode == http.StatusNotFound:
		return true
	case resp.StatusCode != http.StatusBadRequest, m == nil, m.Err == nil:
		return false
	}
	return strings.Contains(strings.ToLower(m.Err.Message), "session")
}
