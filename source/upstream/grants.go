package upstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"helve/internal/redirect"
)

// assertionTime is for how long what we sign ourselves is good.
const assertionTime = 5 * time.Minute

// assertionType says what kind of proof a client brings with a token request.
const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

// jwtBearer is the grant type by which somebody else's signed word is exchanged
// for a token.
const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"

// granted is the handler of a server whose token needs no person.
type granted struct {
	t *tokens

	mu      sync.Mutex
	refused error // what the last request came to
	until   time.Time
}

// refusedTime is for how long a refusal stands: one start of a server asks more
// than once, and an authorisation server that is asked again and again locks a
// client out.
const refusedTime = 10 * time.Second

// TokenSource is the token that is kept, while it is good. A new one is asked for
// when the server wants it.
func (g *granted) TokenSource(context.Context) (oauth2.TokenSource, error) {
	now := g.t.current().Token
	if now == nil || !now.Valid() {
		return nil, nil
	}
	return oauth2.StaticTokenSource(now), nil
}

// Authorize asks for a token, as the server's challenge says. A refusal is final:
// nothing else is tried in its place.
func (g *granted) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	resp.Body.Close()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refused != nil && time.Now().Before(g.until) {
		return g.refused
	}
	ctx, stop := context.WithTimeout(ctx, authTime)
	defer stop()
	err := g.ask(ctx, resp)
	if _, refused := errors.AsType[*oauth2.RetrieveError](err); refused {
		g.refused, g.until = err, time.Now().Add(refusedTime)
	}
	return err
}

func (g *granted) ask(ctx context.Context, resp *http.Response) error {
	challenges, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	if err != nil {
		return fmt.Errorf("what the server wants cannot be read: %w", err)
	}
	own, err := g.t.cfg.OAuth.expanded(g.t.o.Environ)
	if err != nil {
		return err
	}
	place, err := g.t.discover(ctx, challenges, own.Issuer)
	if err != nil {
		return err
	}
	c, err := g.t.request(ctx, &own, place)
	if err != nil {
		return err
	}
	tok, err := c.Token(context.WithValue(ctx, oauth2.HTTPClient, g.t.client))
	if err != nil {
		return fmt.Errorf("no token from %s: %w", place.server.Issuer, err)
	}
	g.t.keep(grantFile{URL: g.t.cfg.URL, ClientID: own.ClientID, TokenURL: c.TokenURL, Resource: place.resource, Token: tok})
	return nil
}

// A tokenPlace is where a token is to be had, and for what.
type tokenPlace struct {
	server   *issuerMeta
	resource string
	scopes   []string
}

// discover finds the authorisation server of an MCP server. Where an issuer is
// configured no other gets to see a secret.
func (t *tokens) discover(
	ctx context.Context, challenges []oauthex.Challenge, issuer string,
) (*tokenPlace, error) {
	at := t.cfg.URL
	p := &tokenPlace{resource: at}
	servers := []string{redirect.Origin(at)} // as before there was metadata of resources
	for _, u := range metadataURLs(challenges, at) {
		m, ok := resourceAt(ctx, t.client, at, u)
		if !ok {
			continue
		}
		p.scopes, servers = m.Scopes, m.Servers
		break
	}
	for _, c := range challenges {
		if s := c.Params["scope"]; s != "" {
			p.scopes = strings.Fields(s)
		}
	}
	if issuer != "" && !slices.Contains(servers, issuer) {
		return nil, fmt.Errorf("the server wants a token of %s, and the configuration allows %s alone", servers[0], issuer)
	}
	server, err := issuerAt(ctx, t.client, cmp.Or(issuer, servers[0]))
	if err != nil {
		return nil, fmt.Errorf("authorisation server %s: %w", cmp.Or(issuer, servers[0]), err)
	}
	p.server = server
	return p, nil
}

// request is the request for a token.
func (t *tokens) request(ctx context.Context, own *OAuth, p *tokenPlace) (*clientcredentials.Config, error) {
	c := &clientcredentials.Config{
		ClientID:       own.ClientID,
		ClientSecret:   own.ClientSecret,
		TokenURL:       p.server.TokenEndpoint,
		Scopes:         p.scopes,
		AuthStyle:      oauth2.AuthStyleInParams,
		EndpointParams: url.Values{"resource": {p.resource}},
	}
	methods := p.server.Methods
	inHeader := len(methods) == 0 || slices.Contains(methods, "client_secret_basic")
	if own.ClientSecret != "" && inHeader {
		c.AuthStyle = oauth2.AuthStyleInHeader
	}
	switch {
	case own.Grant == GrantAssertion:
		c.EndpointParams.Set("grant_type", jwtBearer)
		c.EndpointParams.Set("assertion", own.Assertion)
	case own.Grant == GrantEnterprise:
		word, err := t.exchanged(ctx, own, p)
		if err != nil {
			return nil, err
		}
		c.EndpointParams.Set("grant_type", jwtBearer)
		c.EndpointParams.Set("assertion", word)
	case own.PrivateKey != "":
		word, err := signed(own, p.server.Issuer)
		if err != nil {
			return nil, err
		}
		c.EndpointParams.Set("client_assertion_type", assertionType)
		c.EndpointParams.Set("client_assertion", word)
	}
	return c, nil
}

// exchanged is what the company's identity provider gives for an identity token:
// a word that this server's authorisation server takes.
func (t *tokens) exchanged(ctx context.Context, own *OAuth, p *tokenPlace) (string, error) {
	idp, err := issuerAt(ctx, t.client, own.IdentityIssuer)
	if err != nil {
		return "", fmt.Errorf("identity provider %s: %w", own.IdentityIssuer, err)
	}
	tok, err := oauthex.ExchangeToken(ctx, idp.TokenEndpoint, &oauthex.TokenExchangeRequest{
		RequestedTokenType: oauthex.TokenTypeIDJAG,
		Audience:           p.server.Issuer,
		Resource:           p.resource,
		Scope:              p.scopes,
		SubjectToken:       own.Assertion,
		SubjectTokenType:   oauthex.TokenTypeIDToken,
	}, &oauthex.ClientCredentials{ClientID: own.IdentityClientID}, t.client)
	if err != nil {
		return "", fmt.Errorf("identity provider %s: %w", own.IdentityIssuer, err)
	}
	return tok.AccessToken, nil
}

// signed is the proof of a client that has a key in place of a secret: good once,
// for one authorisation server.
func signed(own *OAuth, issuer string) (string, error) {
	key, method, err := signingKey([]byte(own.PrivateKey))
	if err != nil {
		return "", fmt.Errorf("oauth: private_key: %w", err)
	}
	now := time.Now()
	return jwt.NewWithClaims(method, jwt.RegisteredClaims{
		Issuer:    own.ClientID,
		Subject:   own.ClientID,
		Audience:  jwt.ClaimStrings{issuer},
		ID:        randomID(),
		IssuedAt:  jwt.NewNumericDate(now),
		ExpiresAt: jwt.NewNumericDate(now.Add(assertionTime)),
	}).SignedString(key)
}

// signingKey reads a key in PEM, with the way of signing that fits it.
func signingKey(pem []byte) (key any, method jwt.SigningMethod, err error) {
	if k, err := jwt.ParseECPrivateKeyFromPEM(pem); err == nil {
		switch k.Curve.Params().BitSize {
		case 256:
			return k, jwt.SigningMethodES256, nil
		case 384:
			return k, jwt.SigningMethodES384, nil
		}
		return k, jwt.SigningMethodES512, nil
	}
	if k, err := jwt.ParseRSAPrivateKeyFromPEM(pem); err == nil {
		return k, jwt.SigningMethodRS256, nil
	}
	if k, err := jwt.ParseEdPrivateKeyFromPEM(pem); err == nil {
		return k, jwt.SigningMethodEdDSA, nil
	}
	return nil, nil, errors.New("want a private key of EC, RSA or Ed25519 in PEM")
}
