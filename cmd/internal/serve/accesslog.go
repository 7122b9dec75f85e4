package serve

import (
	"fmt"
	"log/slog"
	"net/http"
	"time"
)

// logged says every request when it is over, at level info. Headers and bodies are left out: tokens and the person's
// files are in them.
func logged(next http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		c := &countedResponse{ResponseWriter: w, status: http.StatusOK}
		defer func() { // also if the handler gives up
			took := time.Since(start).Round(time.Millisecond / 10)
			log.Info(fmt.Sprintf("%s %s %d, %d bytes in %v, from %s",
				r.Method, r.URL.Path, c.status, c.bytes, took, r.RemoteAddr))
		}()
		next.ServeHTTP(c, r)
	})
}

// A countedResponse knows what was answered. What else the writer can do, http.ResponseController finds by Unwrap.
type countedResponse struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// WriteHeader notes the status. A handler that never calls it answers 200, which is where status begins.
func (c *countedResponse) WriteHeader(status int) {
	c.status = status
	c.ResponseWriter.WriteHeader(status)
}

// Write counts what went out, which is less than p where the client has gone.
func (c *countedResponse) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.bytes += int64(n)
	return n, err
}

// Unwrap lets the server flush and set deadlines: a stream of events that were held back would be no stream.
func (c *countedResponse) Unwrap() http.ResponseWriter { return c.ResponseWriter }
