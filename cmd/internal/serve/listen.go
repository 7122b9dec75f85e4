package serve

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"helve/cmd/internal/command"
	"helve/internal/workspace"
	"helve/server"
	"helve/server/console"
)

const (
	// headerTime is what a client may take to send the head of a request: a slow one must not hold a connection.
	headerTime = 10 * time.Second
	// idleTime is how long a connection without requests stays open.
	idleTime = time.Minute
	// DrainTime is how long what runs may go on after SIGTERM.
	DrainTime = 10 * time.Second
)

// serveHTTP listens until ctx is done, and then lets what runs come to its end.
func serveHTTP(ctx context.Context, s command.Streams, o ServeOptions, v *served, so server.Options) (err error) {
	l, ho, err := listener(s, o)
	if err != nil {
		return err
	}
	if err := o.publish(&ho); err != nil {
		return errors.Join(err, l.Close())
	}
	if ho.Token != "" || so.Replicas { // replicas that share these understand each other's second rounds
		key := sha256.Sum256([]byte("helve replicas\x00" + ho.Token + string(so.StateKey)))
		so.StateKey = key[:]
	}
	srv := workspace.NewServer(v.Open, so)
	end := command.EndingOf(ctx)
	end.Opened(partConversations)
	defer func() { err = errors.Join(err, end.Closing(partConversations, srv.Close)) }()
	if v.replica != nil {
		if err := v.replica.Serve(srv.Forwarded); err != nil {
			return errors.Join(err, l.Close())
		}
	}
	// The workspace is open before the first client: what is wrong with it ends the program and not a request.
	ws, err := v.Open(ctx, server.Client{})
	if err != nil {
		return errors.Join(err, l.Close())
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	v.opened(ctx, ws)
	ho.Profiles = ws.Profiles()
	var page *consolePage
	ho.Extra = map[string]http.Handler{}
	if v.hub != nil {
		page, err = v.page(s, o.Common, o.consoleOptions, l)
		if err != nil {
			return errors.Join(err, l.Close())
		}
		defer func() { err = errors.Join(err, page.link.close()) }()
		ho.Extra[console.Base] = page.Handler
		defer askOutside(ctx, s.Places().StateDir, v.hub)()
	}
	var h *server.HTTP
	ho.Extra["/metrics"] = v.serveMetrics(func(q *http.Request) bool { return h.Admits(q) })
	h = srv.HTTP(ho)
	v.serves(h)
	return listenUntil(ctx, s, listening{l, h, h, page}, func() {
		s.Say("listening on %s://%s/mcp", o.scheme(), l.Addr())
		if page != nil {
			page.link.tell()
		}
	})
}

// listenUntil serves until ctx is done, and then lets what runs come to its end. begun is called when it listens.
func listenUntil(ctx context.Context, s command.Streams, on listening, begun func()) error {
	handler := on.handler
	if log := s.Logger(); log.Enabled(ctx, slog.LevelInfo) {
		handler = logged(handler, log)
	}
	g := newGate(on.Listener)
	hs := &http.Server{
		Handler:           g.handler(handler),
		ConnState:         g.state,
		ConnContext:       g.context,
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    server.MaxHeader,
		ErrorLog:          log.New(quiet{}, "", 0),
	}
	done := make(chan error, 1)
	go func() { done <- hs.Serve(g) }()
	begun()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	// New calls are told to go elsewhere; those that run have drainTime.
	end := command.EndingOf(ctx)
	end.Allow(DrainTime + command.LastTime)
	defer end.Rest(command.LastTime, command.ServeEndTime)
	on.mcp.Drain()
	g.closeSilent()
	if on.page != nil {
		on.page.Close()
	}
	drain, stop := context.WithTimeout(context.WithoutCancel(ctx), DrainTime)
	defer stop()
	if err := hs.Shutdown(drain); err != nil {
		s.Say("still running after %v, cancelled", DrainTime)
		return hs.Close()
	}
	return nil
}

// quiet drops what net/http says about clients that misbehave: they would fill the log.
type quiet struct{}

func (quiet) Write(p []byte) (int, error) { return len(p), nil }

// listener opens the address and settles who may come in. The token that is made is printed once it is listened on.
func listener(s command.Streams, o ServeOptions) (net.Listener, server.HTTPOptions, error) {
	ho := server.HTTPOptions{Stateless: o.stateless, Hosts: o.hosts}
	at, err := addressOf("--http", o.http)
	if err != nil {
		return nil, ho, err
	}
	if o.noAuth && !o.pageOnly && !at.local {
		return nil, ho, command.Usage("--no-auth: %s is not a loopback address\n"+
			"hint: who can reach it could use every tool; set HELVE_TOKEN", at.host)
	}
	if err := at.inTheOpen(o.behindProxy || o.withTLS()); err != nil {
		return nil, ho, err
	}
	made, err := admitted(s, o, &ho)
	if err != nil {
		return nil, ho, err
	}
	l, err := net.Listen("tcp", at.text)
	if err != nil {
		return nil, ho, command.Usage("--http %q: %s", o.http, notListening(err))
	}
	secure, err := o.overTLS(s, l)
	if err != nil {
		return nil, ho, errors.Join(err, l.Close())
	}
	if made != "" {
		s.Say("token: %s", made)
	}
	if at.local { // a page whose name leads here would come with another Host
		ho.Hosts = append(ho.Hosts, localHosts(l)...)
	}
	return secure, ho, nil
}

// admitted settles who may come in, and is the token that was made for it, if one was.
func admitted(s command.Streams, o ServeOptions, ho *server.HTTPOptions) (made string, err error) {
	if o.noAuth {
		if o.tokens != "" {
			return "", command.Usage("--no-auth lets everybody in, --tokens only those that it names: want one of them")
		}
		return "", nil
	}
	if o.tokens != "" {
		known, err := openPrincipals(o.tokens, s.Say)
		if err != nil {
			return "", err
		}
		ho.Verify = known.verify
		if o.tokenFile == "" && s.Getenv("HELVE_TOKEN") == "" {
			return "", nil
		}
	}
	ho.Token, made, err = token(s, o.tokenFile)
	return made, err
}

// notListening says why an address cannot be listened on.
func notListening(err error) string {
	if name, ok := errors.AsType[*net.DNSError](err); ok {
		return "no address is known for " + strconv.Quote(name.Name)
	}
	if call, ok := errors.AsType[*os.SyscallError](err); ok { // without the names of system calls
		return call.Err.Error()
	}
	return err.Error()
}

// localHosts are the values of Host that programs on this machine send.
func localHosts(l net.Listener) []string {
	_, port, _ := net.SplitHostPort(l.Addr().String()) // a listener's address has a port
	var out []string
	for _, h := range []string{"127.0.0.1", "localhost", "::1"} {
		out = append(out, net.JoinHostPort(h, port))
	}
	return out
}

// loopback tells that an address is this machine's own. A name other than localhost is not looked up: what it means
// may change until somebody connects.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// token is the one that clients must show: the user's own, or one that is made, and then printed.
func token(s command.Streams, file string) (bearer, made string, err error) {
	bearer = s.Getenv("HELVE_TOKEN")
	if file != "" {
		b, err := os.ReadFile(file)
		if err != nil {
			return "", "", command.Usage("--token-file: %s", command.Cause(err))
		}
		bearer = strings.TrimSpace(string(b))
	}
	if bearer == "" && file == "" {
		bearer = rand.Text()
		return bearer, bearer, nil
	}
	if len(bearer) < command.MinToken {
		return "", "", command.Usage("the token has %d bytes, want %d at least", len(bearer), command.MinToken)
	}
	if strings.ContainsFunc(bearer, func(r rune) bool { return r < ' ' || r > '~' }) {
		return "", "", command.Usage("the token has line breaks or what is not ASCII: no header can carry it")
	}
	return bearer, "", nil
}
