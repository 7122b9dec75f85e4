package chat

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"helve/agent"
)

const (
	// maxRefusal bounds what is read of a refusal, in bytes.
	maxRefusal = 64 << 10
	// maxWords bounds what is kept of its words, in bytes: a proxy may answer with a whole page.
	maxWords = 2000
)

// refusal is the error of a request that a server refused, with the beginning of what it answers.
func refusal(resp *http.Response, body []byte, err error) error {
	e := &agent.ServerError{Status: resp.StatusCode, Message: words(body), Err: err}
	if !again(resp, body) {
		return e
	}
	wait := after(resp.Header, time.Now())
	if wait == 0 {
		wait = retryInfo(body)
	}
	return &agent.Transient{Err: e, After: wait}
}

// again tells whether the same request may be accepted later. The servers say so themselves, or by their status.
func again(resp *http.Response, body []byte) bool {
	switch resp.Header.Get("X-Should-Retry") { // of OpenAI and Anthropic
	case "true":
		return true
	case "false":
		return false
	}
	switch resp.StatusCode {
	case http.StatusTooManyRequests:
		// OpenAI's word for an account without money, which no waiting fills.
		return !strings.Contains(string(body), `"insufficient_quota"`)
	case http.StatusRequestTimeout, http.StatusConflict:
		return true
	}
	return resp.StatusCode >= http.StatusInternalServerError
}

// after is how long a server wants to be left alone, by the headers of its refusal; 0: it does not say.
func after(h http.Header, now time.Time) time.Duration {
	ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64) // OpenAI's
	if err == nil {
		return time.Duration(ms * float64(time.Millisecond))
	}
	after := h.Get("Retry-After") // seconds or a date (RFC 9110)
	if s, err := strconv.ParseFloat(after, 64); err == nil {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(after); err == nil {
		return at.Sub(now)
	}
	return 0
}

// retryInfo is the delay among the details of a refusal in the form of Google's errors (google.rpc.RetryInfo); 0: there
// is none.
func retryInfo(body []byte) time.Duration {
	var refusal struct {
		Error struct {
			Details []struct {
				RetryDelay string `json:"retryDelay"` // as 34.5s
			} `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &refusal) != nil {
		return 0
	}
	for _, d := range refusal.Error.Details {
		wait, err := time.ParseDuration(d.RetryDelay)
		if err == nil {
			return wait
		}
	}
	return 0
}

// words is what a refusal says, in one of the forms that servers use, or the whole of it where it has none of them.
func words(body []byte) string {
	var refusal struct {
		Error   json.RawMessage `json:"error"`
		Message json.RawMessage `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	text := string(body)
	if json.Unmarshal(body, &refusal) == nil {
		for _, raw := range []json.RawMessage{refusal.Error, refusal.Message, refusal.Detail} {
			if s := said(raw); s != "" {
				text = s
				break
			}
		}
	}
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\ufffd"))
	if len(text) > maxWords {
		text = strings.ToValidUTF8(text[:maxWords], "") + " …"
	}
	return text
}

// said is a text, or the message of an object.
func said(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var o struct{ Message string }
	if json.Unmarshal(raw, &o) == nil {
		return o.Message
	}
	return ""
}

// wsaRefused is what Windows says where others say ECONNREFUSED.
const wsaRefused = syscall.Errno(10061)

// unanswered is the error of a request that got no answer, or of an answer that ended too early. A server that is not
// there is told at once: asking again would only cost time.
func unanswered(err error) error {
	var (
		dns  *net.DNSError
		cert *tls.CertificateVerificationError
	)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED),
		runtime.GOOS == "windows" && errors.Is(err, wsaRefused),
		errors.As(err, &dns) && dns.IsNotFound,
		errors.As(err, &cert):
		return fmt.Errorf("%w: %w", agent.ErrUnreachable, err)
	}
	return agent.Broken(err)
}
