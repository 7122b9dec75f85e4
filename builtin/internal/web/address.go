package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"syscall"
)

// closed are the networks that are not the public internet, or that stand for another address inside them (IANA's
// special-purpose registries; 168.63.129.16 is a cloud's own).
var closed = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32",
	"169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24",
	"192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3", "::/96",
	"::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32",
	"2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
)

// prefixes parses networks that the program itself writes down, when they are first asked for.
func prefixes(list ...string) func() []netip.Prefix {
	return sync.OnceValue(func() []netip.Prefix {
		var out []netip.Prefix
		for _, p := range list {
			out = append(out, netip.MustParsePrefix(p))
		}
		return out
	})
}

// judge refuses an address that is not of the public internet.
func judge(a netip.Addr) error {
	a = a.Unmap()
	known := a.IsLoopback() || a.IsPrivate() || a.IsUnspecified() || a.IsMulticast() || a.IsLinkLocalUnicast()
	if known || !a.IsValid() || a.Zone() != "" {
		return forbidden("%s is not a public address", a)
	}
	for _, p := range closed() {
		if p.Contains(a) {
			return forbidden("%s is not a public address", a)
		}
	}
	return nil
}

// metadata are the addresses at which clouds hand their keys out: the name of a private host, even an allowed one,
// never leads there.
var metadata = prefixes("169.254.0.0/16", "168.63.129.16/32", "100.100.100.200/32", "fd00:ec2::254/128", "fe80::/10")

// judgeNamed refuses what a name may not stand for, also where a person allowed the name.
func judgeNamed(a netip.Addr) error {
	for _, p := range metadata() {
		if p.Contains(a.Unmap()) {
			return forbidden("%s hands out keys of the machine", a)
		}
	}
	return nil
}

// targetKey is under which a request carries its Target to dial, which net/http gives nothing else.
type targetKey struct{}

// dial connects to one of a host's addresses. It looks the name up once: what it judged is what it dials.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	t, _ := ctx.Value(targetKey{}).(*Target)
	private := t != nil && t.private
	found, err := c.lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	may := judge
	if private {
		may = judgeNamed
		_, err := netip.ParseAddr(host)
		if err == nil {
			may = func(netip.Addr) error { return nil } // the very address was allowed
		}
	}
	for _, a := range found { // one private address among public ones is an attack or a mistake
		if err := may(a); err != nil {
			return nil, fmt.Errorf("%s: %w", host, err)
		}
	}
	d := net.Dialer{Timeout: dialTime, Control: control(may)}
	// Until one answers: a name may have addresses that this machine cannot reach.
	var errs []error
	for _, a := range found[:min(len(found), maxAddresses)] {
		conn, err := d.DialContext(ctx, network, net.JoinHostPort(a.String(), port))
		if err == nil {
			return conn, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// lookup finds the addresses of a host, which are at least one. A host that is an address stands for itself.
func (c *Client) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	look := c.opts.Lookup
	if look == nil {
		look = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	found, err := look(ctx, host)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s has no address", host)
	}
	return found, nil
}

// control judges the address once more at the moment when the socket is about to connect.
func control(may func(netip.Addr) error) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return may(at.Addr())
	}
}
