package upstream

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"helve/internal/redirect"
)

// Headers and words of RFC 9449.
const (
	headerProof = "DPoP"
	headerNonce = "DPoP-Nonce"
	wantsNonce  = "use_dpop_nonce"
)

// A binder proves with each request that a token is used by who got it. Its key
// is made when a server wants proofs; before, it adds nothing. Its methods are
// safe for concurrent use.
type binder struct {
	mu     sync.Mutex
	key    *ecdsa.PrivateKey // nil: no server wanted a proof
	nonces map[string]string // that servers want to find in the next proof, by origin
}

// wanted tells whether a server's answer asks for proofs, and makes the key.
func (b *binder) wanted(resp *http.Response) (bool, error) {
	for _, v := range resp.Header.Values("WWW-Authenticate") {
		scheme, _, _ := strings.Cut(strings.TrimSpace(v), " ")
		if strings.EqualFold(scheme, headerProof) {
			return true, b.make()
		}
	}
	return false, nil
}

func (b *binder) make() (err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.key == nil {
		b.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	}
	return err
}

// stored is the key as it is kept with its token; nil for none.
func (b *binder) stored() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.key == nil {
		return nil
	}
	der, err := x509.MarshalPKCS8PrivateKey(b.key)
	if err != nil {
		return nil // a key of this curve has a form
	}
	return der
}

// load takes the key of a token that was kept.
func (b *binder) load(der []byte) {
	k, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return
	}
	if own, ok := k.(*ecdsa.PrivateKey); ok && own.Curve == elliptic.P256() {
		b.mu.Lock()
		b.key = own
		b.mu.Unlock()
	}
}

// heard remembers what a server wants to find in the next proof.
func (b *binder) heard(resp *http.Response) {
	n := resp.Header.Get(headerNonce)
	if n == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.nonces == nil || len(b.nonces) >= maxNonces {
		b.nonces = map[string]string{}
	}
	b.nonces[redirect.Origin(resp.Request.URL.String())] = n
}

// maxNonces bounds the servers of which something is remembered: an MCP server
// has one or two for its tokens.
const maxNonces = 16

// sign adds a fresh proof to a request. token is the one that it carries, "" for
// a request for one.
func (b *binder) sign(r *http.Request, token string) error {
	b.mu.Lock()
	key, nonce := b.key, b.nonces[redirect.Origin(r.URL.String())]
	b.mu.Unlock()
	if key == nil {
		return nil
	}
	at := url.URL{Scheme: r.URL.Scheme, Host: r.URL.Host, Path: r.URL.Path}
	claims := jwt.MapClaims{
		"jti": randomID(),
		"htm": r.Method,
		"htu": at.String(),
		"iat": time.Now().Unix(),
	}
	if token != "" {
		sum := sha256.Sum256([]byte(token))
		claims["ath"] = base64.RawURLEncoding.EncodeToString(sum[:])
	}
	if nonce != "" {
		claims["nonce"] = nonce
	}
	t := jwt.NewWithClaims(jwt.SigningMethodES256, claims)
	public, err := key.PublicKey.Bytes() // 4, and the two coordinates
	if err != nil {
		return fmt.Errorf("dpop: %w", err)
	}
	half := len(public) / 2
	t.Header["typ"] = "dpop+jwt"
	t.Header["jwk"] = map[string]string{
		"kty": "EC",
		"crv": "P-256",
		"x":   base64.RawURLEncoding.EncodeToString(public[1 : 1+half]),
		"y":   base64.RawURLEncoding.EncodeToString(public[1+half:]),
	}
	text, err := t.SignedString(key)
	if err != nil {
		return fmt.Errorf("dpop: %w", err)
	}
	r.Header.Set(headerProof, text)
	return nil
}

// A bound is the transport to authorisation servers: it signs requests for tokens
// once a server wants that, and once more with what the server wants in the proof.
type bound struct {
	base http.RoundTripper // nil: the default
	b    *binder
}

// RoundTrip is for http.Client.
func (d *bound) RoundTrip(r *http.Request) (*http.Response, error) {
	base := d.base
	if base == nil {
		base = http.DefaultTransport
	}
	if r.Method != http.MethodPost || !strings.HasPrefix(r.Header.Get("Content-Type"), formType) {
		return base.RoundTrip(r)
	}
	resp, err := d.signed(base, r)
	if err != nil || resp.StatusCode != http.StatusBadRequest || resp.Header.Get(headerNonce) == "" || r.GetBody == nil {
		return resp, err
	}
	body, err := r.GetBody()
	if err != nil {
		return resp, nil
	}
	resp.Body.Close()
	again := r.Clone(r.Context())
	again.Body = body
	return d.signed(base, again)
}

// formType is the content of a request for a token.
const formType = "application/x-www-form-urlencoded"

func (d *bound) signed(base http.RoundTripper, r *http.Request) (*http.Response, error) {
	own := r.Clone(r.Context())
	if err := d.b.sign(own, ""); err != nil {
		return nil, err
	}
	resp, err := base.RoundTrip(own)
	if err == nil {
		d.b.heard(resp)
	}
	return resp, err
}

// randomID is an identifier that nobody else makes.
func randomID() string { return rand.Text() }
