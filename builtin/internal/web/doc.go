// Package web gets pages from the public network, and nothing from the private one: what a URL may be is judged before
// anything is looked up, and the address that is really dialled is judged again when it is dialled, so that a name
// which answers one address to a check and another to the connection gains nothing. No proxy is used, redirects to
// another host are handed back, and every answer is bounded in headers, bytes and time.
package web

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"time"
)

// What can be wrong with a URL, besides what the network does.
var (
	ErrForbidden = errors.New("not allowed") // a scheme, port or address that is not fetched
	ErrBadURL    = errors.New("not a usable URL")
	ErrRedirects = errors.New("too many redirects")
)

// Bounds of one page, and why: pages that people read are far smaller; what is beyond is data, which a model cannot
// read.
const (
	maxURL       = 8 << 10
	maxHeader    = 256 << 10
	maxBody      = 8 << 20 // decompressed
	maxRedirects = 5
	maxAddresses = 8 // of one name that are tried
	totalTime    = 30 * time.Second
	dialTime     = 10 * time.Second
	headerTime   = 15 * time.Second
)

// Options of a Client. The zero value reaches public hosts only.
type Options struct {
	// AllowPrivate names hosts of the private network that a person allowed: "localhost:8080", "10.0.0.7",
	// "*.corp.example", "10.0.0.0/8". One without a port stands for every port. It is compared with the host as the URL
	// writes it.
	AllowPrivate []string

	// Lookup resolves names; nil: the system's resolver.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)

	// Agent is sent as User-Agent; "" sends helve.
	Agent string

	// Time bounds one Get, redirects included; 0: 30 seconds.
	Time time.Duration

	// Fresh is how long a page is answered without asking again, if its server does not say less; 0: five minutes,
	// negative: never.
	Fresh time.Duration

	// Dir is a private folder in which pages are kept for other processes, at most 64 MiB; "": this process remembers
	// them only.
	Dir string
}

// A Client gets pages and remembers them. It is safe for concurrent use.
type Client struct {
	opts  Options
	http  *http.Client
	cache cache
}

// New makes a Client.
func New(o Options) *Client {
	if o.Agent == "" {
		o.Agent = "helve (+https://pkg.go.dev/helve)"
	}
	if o.Time <= 0 {
		o.Time = totalTime
	}
	if o.Fresh == 0 {
		o.Fresh = 5 * time.Minute
	}
	c := &Client{opts: o}
	if o.Fresh > 0 {
		c.cache.disk.dir = o.Dir
	}
	c.http = &http.Client{
		Transport: &http.Transport{
			DialContext:            c.dial,
			DisableKeepAlives:      true, // no connection outlives its page
			ForceAttemptHTTP2:      true,
			MaxResponseHeaderBytes: maxHeader,
			ResponseHeaderTimeout:  headerTime,
			TLSHandshakeTimeout:    dialTime,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c
}
