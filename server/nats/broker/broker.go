// Package broker runs a NATS server in this process, for trying and for tests: who runs workers for others runs
// servers of their own.
package broker

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

const (
	// maxPayload is the largest message in bytes: a call may write a file of some MiB.
	maxPayload = 8 << 20
	// startTime is how long the server may take to listen.
	startTime = 10 * time.Second
)

// Options say where it listens, and who may come in.
type Options struct {
	Addr  string // HOST:PORT; port 0 is any that is free
	Token string // that clients must show; "": everybody may come in, which only tests want
	TLS   *tls.Config
	Keep  string // the folder of what replicas share; "": nothing is kept

	// Name, Cluster and Routes make servers one cluster: Cluster is where this one listens for the others, Routes are
	// where they do.
	Name    string
	Cluster string
	Routes  []string
}

// A Broker is a server that runs. Close it.
type Broker struct {
	s      *server.Server
	scheme string
}

// Start starts a server.
func Start(o Options) (*Broker, error) {
	so := &server.Options{
		ServerName:            o.Name,
		Authorization:         o.Token,
		MaxPayload:            maxPayload,
		NoLog:                 true,
		NoSigs:                true, // the program has its own
		TLS:                   o.TLS != nil,
		TLSConfig:             o.TLS,
		DisableShortFirstPing: true,
		JetStream:             o.Keep != "",
		StoreDir:              o.Keep,
	}
	var err error
	if so.Host, so.Port, err = address(o.Addr); err != nil {
		return nil, err
	}
	if o.Cluster != "" {
		so.Cluster.Name = "helve"
		if so.Cluster.Host, so.Cluster.Port, err = address(o.Cluster); err != nil {
			return nil, err
		}
	}
	for _, r := range o.Routes {
		so.Routes = append(so.Routes, &url.URL{Scheme: "nats", Host: r})
	}
	if err := free(o.Addr); err != nil {
		return nil, err
	}
	s, err := server.NewServer(so)
	if err != nil {
		return nil, fmt.Errorf("bus: %w", err)
	}
	s.Start()
	if !s.ReadyForConnections(startTime) {
		s.Shutdown()
		return nil, fmt.Errorf("bus: cannot listen on %s", o.Addr)
	}
	b := &Broker{s: s, scheme: "nats"}
	if o.TLS != nil {
		b.scheme = "tls"
	}
	return b, nil
}

// free tells whether somebody else has the address. The server would try for all of startTime to get it.
func free(addr string) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("bus: %w", err)
	}
	return l.Close()
}

// address takes HOST:PORT apart; port 0 is any that is free, for which the server has a number of its own.
func address(addr string) (host string, port int, err error) {
	host, word, err := net.SplitHostPort(addr)
	if err != nil {
		return "", 0, fmt.Errorf("bus: %w", err)
	}
	n, err := strconv.ParseUint(word, 10, 16)
	if err != nil {
		return "", 0, fmt.Errorf("bus: %q: want a port from 0 to 65535", word)
	}
	if n == 0 {
		return host, server.RANDOM_PORT, nil
	}
	return host, int(n), nil
}

// URL is where clients find it, without a token.
func (b *Broker) URL() string { return b.scheme + "://" + b.s.Addr().String() }

// Addr is where it listens, HOST:PORT.
func (b *Broker) Addr() string { return b.s.Addr().String() }

// ClusterAddr is where the other servers of a cluster find it.
func (b *Broker) ClusterAddr() string { return b.s.ClusterAddr().String() }

// Peers is how many other servers of the cluster it is connected with.
func (b *Broker) Peers() int { return b.s.NumRoutes() }

// Close ends it.
func (b *Broker) Close() error {
	b.s.Shutdown()
	b.s.WaitForShutdown()
	return nil
}
