package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"helve/internal/redirect"
)

const (
	// A request that may succeed later is sent again, with pauses that grow, for at most a minute: what the
	// specification's exporters do.
	firstPause = 5 * time.Second
	maxPause   = 30 * time.Second
	maxElapsed = time.Minute

	// maxAnswer bounds what is read of an answer: a sentence.
	maxAnswer = 64 << 10
)

// A sender sends requests of one signal to a collector.
type sender struct {
	target target
	client *http.Client
}

func newSender(getenv func(string) string, signal, home, method string) (*sender, error) {
	t, err := readTarget(getenv, signal, home, method)
	if err != nil {
		return nil, err
	}
	through := &http.Transport{
		Proxy:             http.ProxyFromEnvironment,
		TLSClientConfig:   t.tls,
		ForceAttemptHTTP2: true,
		IdleConnTimeout:   90 * time.Second,
	}
	if t.grpc { // HTTP/2 alone, without TLS too
		through.Protocols = new(http.Protocols)
		through.Protocols.SetHTTP2(true)
		through.Protocols.SetUnencryptedHTTP2(true)
	}
	return &sender{target: t, client: &http.Client{Transport: through, CheckRedirect: redirect.Within}}, nil
}

func (s *sender) close() { s.client.CloseIdleConnections() }

// An again is an answer after which the same request may succeed.
type again struct {
	after time.Duration // that the collector asked for; 0: it named none
	cause error
}

func (a *again) Error() string { return a.cause.Error() }
func (a *again) Unwrap() error { return a.cause }

// send sends a request, and once more while the collector is busy.
func (s *sender) send(ctx context.Context, m message) error {
	body, err := s.body(m)
	if err != nil {
		return err
	}
	pause := firstPause
	for began := time.Now(); ; pause = min(2*pause, maxPause) {
		err := s.once(ctx, body)
		var busy *again
		if !errors.As(err, &busy) {
			return err
		}
		wait := max(pause, busy.after)
		if time.Since(began)+wait > maxElapsed {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
	}
}

// body is the request as it is sent: over gRPC a message has a flag and its length before it.
func (s *sender) body(m message) ([]byte, error) {
	text := []byte(m)
	if s.target.gzip {
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		_, err := w.Write(text)
		if err := errors.Join(err, w.Close()); err != nil {
			return nil, err
		}
		text = out.Bytes()
	}
	if !s.target.grpc {
		return text, nil
	}
	head := make([]byte, 5, 5+len(text))
	if s.target.gzip {
		head[0] = 1
	}
	binary.BigEndian.PutUint32(head[1:], uint32(len(text)))
	return append(head, text...), nil
}

func (s *sender) once(ctx context.Context, body []byte) error {
	ctx, stop := context.WithTimeout(ctx, s.target.timeout)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.target.url.String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header = s.target.header.Clone()
	kind, encoding := "application/x-protobuf", "Content-Encoding"
	if s.target.grpc {
		kind, encoding = "application/grpc", "Grpc-Encoding"
		req.Header.Set("Te", "trailers")
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("User-Agent", "helve-otlp")
	if s.target.gzip {
		req.Header.Set(encoding, "gzip")
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return fmt.Errorf("collector: %w", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("collector: read its answer: %w", err)
	}
	if s.target.grpc {
		return answeredByGRPC(resp, text)
	}
	return answered(resp, text)
}

// answered is what an answer over HTTP means.
func answered(resp *http.Response, text []byte) error {
	if resp.StatusCode/100 == 2 {
		return partly(text)
	}
	err := fmt.Errorf("collector: %s answers %s", resp.Request.URL.Host, resp.Status)
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After")) // a date is not looked at: the pause holds
		return &again{after: time.Duration(seconds) * time.Second, cause: err}
	}
	return err
}

// The numbers of gRPC's statuses after which a request may succeed later, by the specification of OTLP: cancelled,
// deadline exceeded, aborted, out of range, unavailable, data loss.
var passing = map[string]bool{"1": true, "4": true, "10": true, "11": true, "14": true, "15": true}

// answeredByGRPC is what an answer over gRPC means. Its status stands behind the body, or in the head of an answer
// without one.
func answeredByGRPC(resp *http.Response, text []byte) error {
	from := resp.Trailer
	if from.Get("Grpc-Status") == "" {
		from = resp.Header
	}
	code := from.Get("Grpc-Status")
	switch {
	case code == "0" && len(text) >= 5:
		return partly(text[5:])
	case code == "0":
		return nil
	case code == "":
		return fmt.Errorf("collector: %s answers %s and speaks no gRPC", resp.Request.URL.Host, resp.Status)
	}
	said, err := url.PathUnescape(from.Get("Grpc-Message"))
	if err != nil {
		said = from.Get("Grpc-Message")
	}
	err = fmt.Errorf("collector: %s answers status %s: %s", resp.Request.URL.Host, code, said)
	if passing[code] {
		return &again{cause: err}
	}
	return err
}

// partly reads an Export…ServiceResponse: what of the request was not taken. An answer that cannot be read says
// nothing.
func partly(text []byte) error {
	rejected, said := uint64(0), ""
	inside := func(b []byte) {
		fields(b, func(n protowire.Number, t protowire.Type, b []byte) {
			switch {
			case n == 1 && t == protowire.VarintType:
				rejected, _ = protowire.ConsumeVarint(b)
			case n == 2 && t == protowire.BytesType:
				v, _ := protowire.ConsumeBytes(b)
				said = string(v)
			}
		})
	}
	fields(text, func(n protowire.Number, t protowire.Type, b []byte) {
		if n == 1 && t == protowire.BytesType {
			v, _ := protowire.ConsumeBytes(b)
			inside(v)
		}
	})
	if rejected == 0 && said == "" {
		return nil
	}
	return fmt.Errorf("collector: it did not take %d: %s", rejected, said)
}

// fields calls f with each field of a message, its value in front of b, until one cannot be read.
func fields(b []byte, f func(n protowire.Number, t protowire.Type, b []byte)) {
	for len(b) > 0 {
		n, t, head := protowire.ConsumeTag(b)
		if head < 0 {
			return
		}
		b = b[head:]
		size := protowire.ConsumeFieldValue(n, t, b)
		if size < 0 {
			return
		}
		f(n, t, b[:size])
		b = b[size:]
	}
}
