package app

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helve/cmd/internal/command"
)

// certFiles are a certificate and its key in files, as whatever renews certificates leaves them.
type certFiles struct{ cert, key string }

// write writes a certificate with a number for 127.0.0.1 into the files, as new as at says.
func (p certFiles) write(t *testing.T, serial int64, at time.Time) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(serial),
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	cert, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		p.cert: {Type: "CERTIFICATE", Bytes: cert},
		p.key:  {Type: "PRIVATE KEY", Bytes: secret},
	} {
		err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600)
		if err := errors.Join(err, os.Chtimes(name, at, at)); err != nil {
			t.Fatal(err)
		}
	}
}

// trusting is a client that trusts the certificate which stands in the file.
func (p certFiles) trusting(t *testing.T) *http.Client {
	t.Helper()
	text, err := os.ReadFile(p.cert)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true}
	return &http.Client{Transport: tr, Timeout: inTime}
}

func TestAServerSpeaksTLSWithACertificateThatIsRenewed(t *testing.T) {
	dir := t.TempDir()
	p := certFiles{filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")}
	old := time.Now().Add(-time.Minute)
	p.write(t, 1, old)
	r := newVictim(t).put(userConfig, `{}`).running(t, "--tls-cert", p.cert, "--tls-key", p.key)
	if !strings.HasPrefix(r.url, "https://127.0.0.1:") {
		t.Fatalf("it listens on %s", r.url)
	}
	serial := func(c *http.Client) int64 {
		t.Helper()
		q, _ := http.NewRequest(http.MethodPost, r.url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize",`+
			`"params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`))
		q.Header.Set("Authorization", "Bearer "+r.token)
		q.Header.Set("Content-Type", "application/json")
		res, err := c.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if b, _ := io.ReadAll(res.Body); !strings.Contains(string(b), "serverInfo") {
			t.Fatalf("%s: %s", res.Status, b)
		}
		return res.TLS.PeerCertificates[0].SerialNumber.Int64()
	}
	if n := serial(p.trusting(t)); n != 1 {
		t.Errorf("certificate %d", n)
	}
	if res, err := http.Get(strings.Replace(r.url, "https:", "http:", 1)); err == nil {
		res.Body.Close()
		if res.StatusCode != http.StatusBadRequest {
			t.Errorf("plain HTTP: %s", res.Status)
		}
	}

	before := p.trusting(t)
	later := func() { time.Sleep(1100 * time.Millisecond) } // the files are looked at once a second
	if err := os.WriteFile(p.cert, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	later()
	if n := serial(before); n != 1 {
		t.Errorf("certificate %d in the middle of a renewal", n)
	}
	p.write(t, 2, old.Add(time.Second))
	later()
	if n := serial(p.trusting(t)); n != 2 {
		t.Errorf("certificate %d after the renewal", n)
	}
}

func TestFlagsOfTLSThatDoNotGoTogether(t *testing.T) {
	dir := t.TempDir()
	p := certFiles{filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")}
	p.write(t, 1, time.Now())
	both := " --tls-cert " + p.cert + " --tls-key "
	v := newVictim(t).put(userConfig, `{}`)
	for _, c := range []struct{ line, want string }{
		{"serve --http 127.0.0.1:0 --tls-cert " + p.cert, "want both, or neither"},
		{"console --tls-key " + p.key, "want both, or neither"},
		{"serve --http 127.0.0.1:0" + both + filepath.Join(dir, "nowhere"), "no such file"},
		{"serve --http 127.0.0.1:0" + both + p.cert, "--tls-key " + p.cert},
		{"serve --http 0.0.0.0:0 --console" + both + p.key, "--public-url https://NAME"},
		{"console --listen 0.0.0.0:0" + both + p.key, "--public-url https://NAME"},
	} {
		env, _, stderr := v.streams()
		env.Stdin = strings.NewReader("")
		code := Main(t.Context(), strings.Fields(c.line), env.Environment)
		if code != command.ExitUsage || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%s: exit status %d, %s; want %q", c.line, code, stderr, c.want)
		}
	}
}
