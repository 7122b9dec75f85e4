package app

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"helve"
	"helve/server"
)

const (
	// maxConnections bounds the connections that are open at a time.
	maxConnections = 2048
	// drainTime is how long what runs may go on after SIGTERM.
	drainTime = 10 * time.Second
	// minToken is the least that a token of the user's own must have, in bytes.
	minToken = 16
)

// serveHTTP listens until ctx is done, and then lets what runs come to its end.
func (a *app) serveHTTP(ctx context.Context, f serveFlags, v *served, o server.Options) (err error) {
	l, ho, err := a.listener(f)
	if err != nil {
		return err
	}
	if ho.Token != "" { // replicas that share the token understand each other's second rounds
		key := sha256.Sum256([]byte("helve replicas\x00" + ho.Token))
		o.StateKey = key[:]
	}
	srv := helve.NewServer(v.open, o)
	defer func() { err = errors.Join(err, srv.Close()) }()
	ws, err := v.open(ctx, server.Client{})
	if err != nil {
		return errors.Join(err, l.Close())
	}
	ho.Profiles = ws.Profiles()
	h := srv.HTTP(ho)
	hs := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: server.MaxHeader,
		ErrorLog: log.New(quiet{}, "", 0)}
	done := make(chan error, 1)
	go func() { done <- hs.Serve(limited(l, maxConnections)) }()
	a.say("listening on http://%s/mcp", l.Addr())
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	h.Drain()
	drain, stop := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer stop()
	if err := hs.Shutdown(drain); err != nil {
		a.say("still running after %v, cancelled", drainTime)
		return hs.Close()
	}
	return nil
}

// quiet drops what net/http says about clients that misbehave: they would fill the log.
type quiet struct{}

func (quiet) Write(p []byte) (int, error) { return len(p), nil }

// listener opens the address and settles who may come in.
func (a *app) listener(f serveFlags) (net.Listener, server.HTTPOptions, error) {
	ho := server.HTTPOptions{Stateless: f.stateless}
	addr := f.http
	if strings.HasPrefix(addr, ":") {
		addr = "127.0.0.1" + addr
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, ho, usage("--http %q: want HOST:PORT", f.http)
	}
	local := loopback(host)
	if f.noAuth && !local {
		return nil, ho, usage("--no-auth: %s is not a loopback address\nhint: who can reach it could use every tool; set HELVE_TOKEN", host)
	}
	made := ""
	if !f.noAuth {
		if ho.Token, made, err = a.token(f.tokenFile); err != nil {
			return nil, ho, err
		}
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, ho, fmt.Errorf("--http: %w", err)
	}
	if made != "" {
		a.say("token: %s", made)
	}
	if ho.Hosts = f.hosts; local {
		_, port, _ := net.SplitHostPort(l.Addr().String())
		for _, h := range []string{"127.0.0.1", "localhost", "::1"} {
			ho.Hosts = append(ho.Hosts, net.JoinHostPort(h, port))
		}
	}
	return l, ho, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// token is the one that clients must show: the user's own, or one that is made, and then printed.
func (a *app) token(file string) (token, made string, err error) {
	token = a.env.getenv("HELVE_TOKEN")
	if file != "" {
		b, err := os.ReadFile(file)
		if err != nil {
			return "", "", usage("--token-file: %v", err)
		}
		token = strings.TrimSpace(string(b))
	}
	if token == "" && file == "" {
		token = rand.Text()
		return token, token, nil
	}
	if len(token) < minToken {
		return "", "", usage("the token has %d bytes, want %d at least", len(token), minToken)
	}
	return token, "", nil
}

// limited accepts so many connections at a time; further ones wait in the system's queue.
func limited(l net.Listener, n int) net.Listener { return &limit{l, make(chan struct{}, n)} }

type limit struct {
	net.Listener
	slots chan struct{}
}

func (l *limit) Accept() (net.Conn, error) {
	l.slots <- struct{}{}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &counted{Conn: c, free: func() { <-l.slots }}, nil
}
