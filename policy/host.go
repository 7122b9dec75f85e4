package policy

import (
	"net/netip"
	"strconv"
	"strings"
)

// A hostPattern is what a rule says of hosts: a name or *.name, with a port or for all ports.
type hostPattern struct {
	text string // as it is compared
	bare string // the name, where the port is the own one of http or https; "" for all others
}

// newHost understands the pattern of a rule. A port that stands for all of them is as none.
func newHost(pattern string) hostPattern {
	h := strings.TrimSuffix(cleanHost(pattern), ":*")
	if a, err := netip.ParseAddr(strings.Trim(h, "[]")); err == nil && a.Is6() { // as URLs have them
		return hostPattern{text: "[" + a.String() + "]"}
	}
	p := hostPattern{text: h}
	if name := withoutPort(h); h == name+":80" || h == name+":443" {
		p.bare = name
	}
	return p
}

// meets tells whether the pattern means a host. A call on its scheme's own port names none, and its scheme is not known
// here: where the rule restricts, it may be either's.
func (p hostPattern) meets(host string, restricts bool) bool {
	if matchesHost(p.text, host) {
		return true
	}
	return restricts && p.bare != "" && withoutPort(host) == host && matchesHost(p.bare, host)
}

// badPort tells that what stands behind the last colon can be no port.
func badPort(host string) bool {
	colon := strings.LastIndexByte(host, ':')
	if colon < 0 || strings.HasSuffix(host, "]") || strings.Contains(host[colon:], "*") {
		return false
	}
	n, err := strconv.ParseUint(host[colon+1:], 10, 16)
	return err != nil || n == 0 || host[colon+1] == '0'
}

// cleanHost is a host's name as it is compared: in lower case, without what stands around it in an URL.
func cleanHost(h string) string {
	h = strings.ToLower(strings.TrimSpace(h))
	if _, after, ok := strings.Cut(h, "://"); ok {
		h, _, _ = strings.Cut(after, "/")
	}
	name := withoutPort(h)
	return strings.TrimSuffix(name, ".") + h[len(name):]
}

// matchesHost compares names: *.example.com means all below, a name without a port every port.
func matchesHost(pattern, host string) bool {
	if pattern == host {
		return true
	}
	if withoutPort(pattern) == pattern { // an IPv6 address has colons and no port
		host = withoutPort(host)
	}
	if below, ok := strings.CutPrefix(pattern, "*."); ok {
		return strings.HasSuffix(host, "."+below)
	}
	return pattern == host || strings.Contains(pattern, "*") && wild(pattern, host)
}

// withoutPort is the name alone. An IPv6 address in brackets without a port has its last colon inside them.
func withoutPort(host string) string {
	colon := strings.LastIndexByte(host, ':')
	if colon <= 0 || strings.HasSuffix(host, "]") {
		return host
	}
	return host[:colon]
}
