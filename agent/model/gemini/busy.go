package gemini

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"
)

const (
	// maxPause is the longest that a server is left alone for: who wants more is told of to the caller.
	maxPause = time.Minute
	// maxRefusal bounds what is read of a refusal.
	maxRefusal = 64 << 10
)

// pause waits as long as a busy server wants to be left alone; the library would ask again after its own time.
func pause(ctx context.Context, resp *http.Response) {
	if !slices.Contains(busy, int32(resp.StatusCode)) {
		return
	}
	wait := wanted(resp, time.Now())
	if wait <= 0 || wait > maxPause {
		return
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// wanted is how long the server wants to be left alone, by its Retry-After, or by the RetryInfo of Google's errors; 0:
// it does not say.
func wanted(resp *http.Response, now time.Time) time.Duration {
	after := resp.Header.Get("Retry-After") // seconds or a date (RFC 9110)
	if s, err := strconv.ParseFloat(after, 64); err == nil {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(after); err == nil {
		return at.Sub(now)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	resp.Body = heard{Reader: io.MultiReader(bytes.NewReader(body), resp.Body), Closer: resp.Body}
	if err != nil {
		return 0
	}
	return retryInfo(body)
}

// retryInfo is the delay among the details of a refusal, in the form of Google's errors (google.rpc.RetryInfo); 0:
// there is none.
func retryInfo(body []byte) time.Duration {
	var refusal struct {
		Error struct {
			Details []struct {
				RetryDelay string `json:"retryDelay"`
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
