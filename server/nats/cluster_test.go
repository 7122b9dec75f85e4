package natsbus_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"helve/internal/testing/loopback"
	natsworker "helve/server/nats"
	"helve/server/nats/broker"
	natspool "helve/source/nats"
	"helve/tool"
)

// A cluster is three servers that know each other.
type cluster struct {
	t       *testing.T
	options []broker.Options // by which each is started
	servers []*broker.Broker
	urls    []string
}

func startCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{t: t}
	var routes []string
	for i := range 3 {
		b, err := broker.Start(broker.Options{
			Addr: loopback.Addr(), Name: fmt.Sprintf("s%d", i), Cluster: loopback.Addr(), Routes: routes,
		})
		if err != nil {
			t.Fatal(err)
		}
		c.servers, routes, c.urls = append(c.servers, b), append(routes, b.ClusterAddr()), append(c.urls, b.URL())
	}
	t.Cleanup(func() {
		for _, b := range c.servers {
			b.Close()
		}
	})
	for i, b := range c.servers {
		c.options = append(c.options, broker.Options{
			Addr: b.Addr(), Name: fmt.Sprintf("s%d", i), Cluster: b.ClusterAddr(),
			Routes: slices.Concat(routes[:i], routes[i+1:]),
		})
	}
	c.whole()
	return c
}

// whole waits until each server knows the others.
func (c *cluster) whole() {
	c.t.Helper()
	for i, b := range c.servers {
		wait(c.t, fmt.Sprintf("server %d knows the others", i), func() bool { return b.Peers() >= 2 })
	}
}

// dial connects to a server first, and to the others when it is gone.
func (c *cluster) dial(i int) *nats.Conn {
	c.t.Helper()
	all := slices.Concat(c.urls[i:], c.urls[:i])
	nc, err := nats.Connect(strings.Join(all, ","), nats.DontRandomize(), nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})) // that servers go is what is tested
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(nc.Close)
	return nc
}

// restart ends a server without a word to its clients, and starts it again.
func (c *cluster) restart(i int) {
	c.t.Helper()
	c.servers[i].Close()
	var err error
	wait(c.t, "the server listens again", func() bool {
		var b *broker.Broker
		b, err = broker.Start(c.options[i])
		if err == nil {
			c.servers[i] = b
		}
		return err == nil
	})
}

// A gateway and its worker at different servers of a cluster find each other, and go on when their servers go.
func TestCallsPassAClusterOfThreeServersAndOutliveOneOfThem(t *testing.T) {
	c := startCluster(t)
	servers, at := c.servers, c.dial
	record := filepath.Join(t.TempDir(), "record")
	tools := workTools(record)
	w, err := natsworker.Offer(at(1), workerKit(t, allowAll{}, tools...), natsworker.Options{
		Pool: poolName, Workspace: workspaceName, Session: func() *tool.Session { return &tool.Session{} }})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Drain(t.Context())
	p, err := natspool.Join(at(2), natspool.Options{Pool: poolName, Workspace: workspaceName})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	kit := gatewayKit(t, p, tool.KitOptions{Policy: allowAll{}}, tools...)
	work := func(n int) {
		t.Helper()
		if res := call(t, kit, nil, "work", fmt.Sprintf(`{"n":"%d","take":1}`, n)); res.Err != nil {
			t.Errorf("%d: %v", n, res.Err)
		}
	}
	for n := range 50 {
		work(n)
	}
	servers[1].Close()
	for n := range 50 {
		work(100 + n)
	}
}

func TestCallsPassTLSAndAWrongCertificateIsRefused(t *testing.T) {
	cert, roots := certificate(t)
	b, err := broker.Start(broker.Options{Addr: "127.0.0.1:0", TLS: &tls.Config{Certificates: []tls.Certificate{cert}}})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if nc, err := nats.Connect(b.URL()); err == nil {
		nc.Close()
		t.Error("a certificate that nobody vouches for is taken")
	}
	secure := func() *nats.Conn {
		nc, err := nats.Connect(b.URL(), nats.Secure(&tls.Config{RootCAs: roots}))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(nc.Close)
		return nc
	}
	tools := workTools(filepath.Join(t.TempDir(), "record"))
	w, err := natsworker.Offer(secure(), workerKit(t, allowAll{}, tools...), natsworker.Options{
		Pool: poolName, Workspace: workspaceName, Session: func() *tool.Session { return &tool.Session{} }})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Drain(t.Context())
	p, err := natspool.Join(secure(), natspool.Options{Pool: poolName, Workspace: workspaceName})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	kit := gatewayKit(t, p, tool.KitOptions{Policy: allowAll{}}, tools...)
	if res := call(t, kit, nil, "work", `{"n":"1"}`); res.Err != nil {
		t.Error(res.Err)
	}
}

// certificate is one for loopback that vouches for itself.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "bus"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(time.Hour),
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA:                  true,
		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}
