package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"helve/internal/redirect"
)

// A resourceMeta is what an MCP server says of itself (RFC 9728), as far as these grants want to know it.
type resourceMeta struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`
}

// resourceAt reads what the server own says of itself; false where that is nothing, or of another server, or names a
// giver of tokens that a secret must not be sent to. The library's own reader brings a JSON library with it.
func resourceAt(ctx context.Context, c *http.Client, own, at string) (m resourceMeta, ok bool) {
	inside := func(u string) bool { return safe(u) != nil || neighbour(u) }
	if inside(at) {
		return m, false
	}
	found, err := fetched(ctx, c, at, &m)
	if err != nil || !found || m.Resource != own || len(m.Servers) == 0 {
		return m, false
	}
	return m, !slices.ContainsFunc(m.Servers, inside)
}

// shared are addresses between a provider and its customers (RFC 6598), which net/netip does not count as private.
var shared = netip.MustParsePrefix("100.64.0.0/10")

// inner tells an address that is reached from here alone, except this machine's own.
func inner(ip netip.Addr) bool {
	a := ip.Unmap()
	return !a.IsValid() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsMulticast() || a.IsUnspecified() || shared.Contains(a)
}

// neighbour tells a URL whose host is such an address: a server must not send us to its neighbours.
func neighbour(at string) bool {
	u, err := url.Parse(at)
	if err != nil {
		return true
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && inner(ip)
}

// An issuerMeta is what a giver of tokens says of itself, as far as these grants
// want to know it.
type issuerMeta struct {
	Issuer        string   `json:"issuer"`
	TokenEndpoint string   `json:"token_endpoint"`
	Methods       []string `json:"token_endpoint_auth_methods_supported"`
}

// maxMetadata bounds what a giver of tokens says of itself, in bytes.
const maxMetadata = 1 << 20

// issuerAt reads what an issuer says of itself, in one of the well-known places.
// The library's own reader wants PKCE of every issuer; here no code is exchanged.
func issuerAt(ctx context.Context, c *http.Client, issuer string) (*issuerMeta, error) {
	u, err := url.Parse(issuer)
	if err != nil {
		return nil, err
	}
	path := strings.TrimSuffix(u.Path, "/")
	for _, at := range []string{
		"/.well-known/oauth-authorization-server" + path,
		"/.well-known/openid-configuration" + path,
		path + "/.well-known/openid-configuration",
	} {
		m := &issuerMeta{}
		found, err := fetched(ctx, c, redirect.Origin(issuer)+at, m)
		switch {
		case err != nil:
			return nil, err
		case !found:
			continue
		case strings.TrimSuffix(m.Issuer, "/") != strings.TrimSuffix(issuer, "/"):
			return nil, fmt.Errorf("it calls itself %.200q", m.Issuer)
		}
		return m, safe(m.TokenEndpoint)
	}
	return nil, errors.New("it does not say where its tokens are")
}

// fetched decodes a document; false where there is none.
func fetched(ctx context.Context, c *http.Client, at string, into any) (bool, error) {
	if err := safe(at); err != nil {
		return false, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return false, err
	}
	client := *c
	client.CheckRedirect = sentOn
	resp, err := client.Do(req)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return false, nil
	}
	return true, json.NewDecoder(io.LimitReader(resp.Body, maxMetadata)).Decode(into)
}

// maxHops bounds the redirects of a document.
const maxHops = 10

// sentOn refuses to be sent where the document's own host could not have us go: in the open, or into a network that
// only this machine reaches.
func sentOn(next *http.Request, via []*http.Request) error {
	if len(via) >= maxHops {
		return fmt.Errorf("sent on %d times", maxHops)
	}
	if via[len(via)-1].URL.Scheme == "https" && next.URL.Scheme != "https" {
		return fmt.Errorf("%.200q: want https", next.URL.String())
	}
	ips, err := net.DefaultResolver.LookupNetIP(next.Context(), "ip", next.URL.Hostname())
	if err != nil {
		return err
	}
	for _, ip := range ips {
		if ip.Unmap().IsLoopback() || inner(ip) {
			return fmt.Errorf("%.200q: sent on to %s, which is no public address", next.URL.String(), ip)
		}
	}
	return nil
}

// nearby tells of a host's name that is this machine's for sure.
func nearby(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// safe refuses an address to which a secret would travel in the open.
func safe(at string) error {
	u, err := url.Parse(at)
	if err != nil {
		return err
	}
	near := nearby(u.Hostname())
	if u.Scheme == "https" || u.Scheme == "http" && near {
		return nil
	}
	return fmt.Errorf("%.200q: want https", at)
}

// metadataURLs are where a server may say who gives out its tokens: where its
// challenge says, and the two well-known places.
func metadataURLs(challenges []oauthex.Challenge, at string) []string {
	var out []string
	for _, c := range challenges {
		if u := c.Params["resource_metadata"]; u != "" {
			out = append(out, u)
		}
	}
	u, err := url.Parse(at)
	if err != nil {
		return out
	}
	const known = "/.well-known/oauth-protected-resource"
	whole := redirect.Origin(at) + known
	return append(out, whole+strings.TrimSuffix("/"+strings.Trim(u.Path, "/"), "/"), whole)
}
