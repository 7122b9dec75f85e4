package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Target is a URL that may be asked for, as far as one can tell without looking its host up.
type Target struct {
	URL  *url.URL // the host in ASCII
	Host string   // as rules name it: the host, with its port where that is not the scheme's own

	private bool // a person allowed this host by name
}

// String is the URL without the password in it.
func (t *Target) String() string { return t.URL.Redacted() }

// forbidden is an ErrForbidden with its reason.
func forbidden(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrForbidden, fmt.Sprintf(format, args...))
}

// bad is an ErrBadURL with its reason.
func bad(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrBadURL, fmt.Sprintf(format, args...))
}

// Parse understands a URL, and refuses what is never fetched. It looks nothing up.
func (c *Client) Parse(raw string) (*Target, error) {
	if err := plausible(raw); err != nil {
		return nil, err
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, bad("%v", err)
	}
	return c.target(u)
}

// isControl tells the control characters of ASCII.
func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// plausible refuses what programs read differently: control characters and backslashes.
func plausible(raw string) error {
	switch {
	case len(raw) > maxURL:
		return bad("it is longer than %d bytes", maxURL)
	case strings.ContainsFunc(raw, isControl):
		return bad("it has a control character")
	case strings.Contains(raw, `\`):
		return forbidden("programs read a backslash in a URL differently")
	}
	return nil
}

// target judges a parsed URL, which stays as it is. What the user allowed by name is not judged by its address.
func (c *Client) target(u *url.URL) (*Target, error) {
	switch u.Scheme {
	case "http", "https":
	case "":
		return nil, bad("write it with its scheme: https://%s", strings.TrimPrefix(u.String(), "//"))
	default:
		return nil, forbidden("%s: only http and https are fetched", u.Scheme)
	}
	own := *u
	host, err := asciiHost(u.Hostname())
	if err != nil {
		return nil, err
	}
	port, err := portOf(u)
	if err != nil {
		return nil, err
	}
	t := &Target{URL: &own, Host: joinHost(host, port, u.Scheme)}
	own.Host = t.Host
	t.private = c.allows(host, port)
	if !t.private {
		err := c.public(host, port)
		if err != nil {
			return nil, err
		}
	}
	return t, nil
}

// asciiHost is the host as it would be looked up: lower case, international names in ASCII, full-width digits as
// digits.
func asciiHost(h string) (string, error) {
	if h == "" {
		return "", bad("it names no host")
	}
	if a, err := netip.ParseAddr(h); err == nil {
		if a.Zone() != "" {
			return "", forbidden("an address with a zone is of the local network")
		}
		return a.String(), nil
	}
	h = strings.TrimSuffix(h, ".")
	if strings.ContainsFunc(h, func(r rune) bool { return r >= utf8.RuneSelf }) {
		h = lookedUp(h)
	}
	return strictHost(strings.ToLower(h))
}

// lookedUp is the name under which net/http would look up a host that is not in ASCII; h itself where it has none. So
// rules are held against what is asked for, by the tables of the library that asks, and those are linked once.
func lookedUp(h string) string {
	asked := errors.New("nothing is dialed")
	dial := func(_ context.Context, _, addr string) (net.Conn, error) {
		if name, _, err := net.SplitHostPort(addr); err == nil {
			h = name
		}
		return nil, asked
	}
	r := http.Request{Method: http.MethodHead, URL: &url.URL{Scheme: "http", Host: h}, Header: http.Header{}}
	_, _ = (&http.Transport{DialContext: dial}).RoundTrip(&r) // asked, or that it is no host
	return h
}

// strictHost accepts ASCII names, also those that the rules for international names do not, such as those with an
// underscore.
func strictHost(h string) (string, error) {
	if h == "" || h[0] == '.' || strings.HasSuffix(h, ".") || strings.Contains(h, "..") {
		return "", bad("%q is no host name", h)
	}
	for _, r := range h {
		ok := r == '-' || r == '_' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !ok {
			return "", bad("%q is no host name", h)
		}
	}
	return h, nil
}

// ownPort is the port of each scheme that is fetched.
var ownPort = map[string]int{"http": 80, "https": 443}

// portOf is the URL's port, that of its scheme if it names none.
func portOf(u *url.URL) (int, error) {
	p := u.Port()
	if p == "" {
		return ownPort[u.Scheme], nil
	}
	n, err := strconv.Atoi(p)
	if err != nil || n < 1 || n > 65535 {
		return 0, bad("port %s", p)
	}
	return n, nil
}

// joinHost writes a host as rules name it: without the scheme's own port, an IPv6 address in brackets.
func joinHost(host string, port int, scheme string) string {
	if port != ownPort[scheme] {
		return net.JoinHostPort(host, strconv.Itoa(port))
	}
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

// allows tells whether a person named this host.
func (c *Client) allows(host string, port int) bool {
	for _, a := range c.opts.AllowPrivate {
		if allowsHost(strings.ToLower(strings.TrimSpace(a)), host, port) {
			return true
		}
	}
	return false
}

// allowsHost compares one entry of Options.AllowPrivate: an address, a network, a name or *.name, with a port or for
// all ports.
func allowsHost(allowed, host string, port int) bool {
	if h, p, err := net.SplitHostPort(allowed); err == nil {
		if p != strconv.Itoa(port) {
			return false
		}
		allowed = h
	}
	allowed = strings.Trim(allowed, "[]")
	if prefix, err := netip.ParsePrefix(allowed); err == nil {
		a, err := netip.ParseAddr(host)
		return err == nil && prefix.Contains(a)
	}
	below, ok := strings.CutPrefix(allowed, "*.")
	if ok {
		return strings.HasSuffix(host, "."+below)
	}
	a, err := netip.ParseAddr(allowed)
	return allowed == host || err == nil && a.String() == host
}

// inside are the ends of names that only a private network answers.
var inside = []string{"localhost", "local", "internal", "intranet", "lan", "home.arpa", "localdomain"}

// public refuses names, numbers and ports that cannot be meant for the public web.
func (c *Client) public(host string, port int) error {
	if slices.Contains(badPorts, port) {
		return forbidden("port %d is not one of the web", port)
	}
	a, err := netip.ParseAddr(host)
	if err == nil {
		return judge(a)
	}
	labels := strings.Split(host, ".")
	last := labels[len(labels)-1]
	if isNumber(last) {
		return forbidden("%s is an address in an unusual form", host)
	}
	for _, end := range inside {
		if host == end || strings.HasSuffix(host, "."+end) {
			return forbidden("%s is a name of the local network", host)
		}
	}
	return nil
}

// isNumber tells whether some programs would read a label as a part of an address: 127, 0177, 0x7f.
func isNumber(label string) bool {
	hex := strings.HasPrefix(label, "0x")
	if hex {
		label = label[2:]
	}
	for _, r := range label {
		if !(r >= '0' && r <= '9' || hex && r >= 'a' && r <= 'f') {
			return false
		}
	}
	return hex || label != ""
}

// badPorts are those of other services, to which a request over HTTP could speak (the fetch standard's list).
var badPorts = []int{
	1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
	103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
	512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
	995, 1719, 1720, 1723, 2049, 2375, 2376, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432, 6000,
	6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 9200, 10080, 11211, 27017,
}
