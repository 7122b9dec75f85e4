package policy

import "strings"

// cleanHost is a host's name as it is compared: in lower case, without what stands around it in an URL.
func cleanHost(h string) string {
	h = strings.ToLower(strings.TrimSpace(h))
	if _, after, ok := strings.Cut(h, "://"); ok {
		h, _, _ = strings.Cut(after, "/")
	}
	return strings.TrimSuffix(h, ".")
}

// matchesHost compares names: *.example.com means all below, a name without a port every port.
func matchesHost(pattern, host string) bool {
	if pattern == host {
		return true
	}
	if !strings.Contains(pattern, ":") {
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
	return strings.TrimSuffix(host[:colon], ".")
}
