package mcp

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"helve/cmd/internal/command"
)

// loginTime is how long a person may take to log in.
const loginTime = 5 * time.Minute

// A redirect sends a person to a page and waits for the redirect on an address of this machine that only this run
// listens on.
type redirect struct {
	say func(format string, args ...any)

	once     sync.Once
	listener net.Listener
}

// open listens once. The port is the system's choice, so that two logins at a time do not meet.
func (l *redirect) open() {
	l.once.Do(func() {
		if ln, err := net.Listen("tcp", "127.0.0.1:0"); err == nil {
			l.listener = ln
		}
	})
}

// RedirectURL is where the page sends the person back.
func (l *redirect) RedirectURL() string {
	l.open()
	if l.listener == nil {
		return "http://127.0.0.1/callback"
	}
	return fmt.Sprintf("http://%s/callback", l.listener.Addr())
}

// Authorize shows the page's address and waits.
func (l *redirect) Authorize(ctx context.Context, page string) (url.Values, error) {
	l.open()
	if l.listener == nil {
		return nil, fmt.Errorf("log in: no address of this machine can be listened on")
	}
	ctx, stop := context.WithTimeout(ctx, loginTime)
	defer stop()
	got := make(chan url.Values, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /callback", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "Done. You can close this window.")
		select {
		case got <- r.URL.Query():
		default:
		}
	})
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go srv.Serve(l.listener)
	defer srv.Close()
	l.say("log in here: %s", command.Printable(page))
	select {
	case q := <-got:
		return q, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("log in: %w", ctx.Err())
	}
}
