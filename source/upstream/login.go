package upstream

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// A Browser sends a person to an authorisation page and returns the query of the
// redirect that follows (code, state, iss).
type Browser interface {
	RedirectURL() string // where the page sends the person back: http://127.0.0.1:PORT/callback
	Authorize(ctx context.Context, page string) (url.Values, error)
}

// A Login lets a person log in: LoginBy makes one. A program that calls it nowhere links nothing of what a login takes.
type Login interface {
	handler(f loginFor) (authorizer, error)
}

// An authorizer answers a server that wants OAuth, as the SDK's auth.OAuthHandler does.
type authorizer interface {
	// TokenSource is where the tokens of requests come from; nil while there is none.
	TokenSource(context.Context) (oauth2.TokenSource, error)

	// Authorize gets a token after a request was refused, and closes the response.
	Authorize(context.Context, *http.Request, *http.Response) error
}

// A loginFor is the server that a login is for, and what becomes of the token.
type loginFor struct {
	client      *http.Client
	id, secret  string // of the configuration; "" registers a client on the fly
	metadataURL string
	kept        oauth2.TokenSource // of an earlier login, or nil
	keep        func(resource string, c *oauth2.Config, tok *oauth2.Token) oauth2.TokenSource
}

// LoginBy is a login in a browser, with PKCE and a client that is registered on the fly.
func LoginBy(b Browser) Login { return byBrowser{b} }

type byBrowser struct{ at Browser }

func (b byBrowser) handler(f loginFor) (authorizer, error) {
	back := b.at.RedirectURL()
	p := &page{at: b.at, keep: f.keep}
	c := &auth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{
			Metadata: &oauthex.ClientRegistrationMetadata{
				ClientName:    "helve",
				RedirectURIs:  []string{back},
				GrantTypes:    []string{"authorization_code", "refresh_token"},
				ResponseTypes: []string{"code"},
			},
		},
		RedirectURL:              back,
		RequestRefreshToken:      true,
		Client:                   f.client,
		AuthorizationCodeFetcher: p.ask,
		NewTokenSource:           p.renewable,
		InitialTokenSource:       f.kept,
	}
	if f.metadataURL != "" {
		c.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: f.metadataURL}
	}
	if f.id != "" {
		c.PreregisteredClient = &oauthex.ClientCredentials{ClientID: f.id}
		if f.secret != "" {
			c.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: f.secret}
		}
	}
	return auth.NewAuthorizationCodeHandler(c)
}

// A page is where a person logs in. One login happens at a time.
type page struct {
	at       Browser
	keep     func(resource string, c *oauth2.Config, tok *oauth2.Token) oauth2.TokenSource
	resource string // that the last authorisation was asked for
}

// ask sends a person to the page and reads what came back.
func (p *page) ask(ctx context.Context, a *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	if u, err := url.Parse(a.URL); err == nil {
		p.resource = u.Query().Get("resource")
	}
	q, err := p.at.Authorize(ctx, a.URL)
	if err != nil {
		return nil, err
	}
	if e := q.Get("error"); e != "" {
		return nil, fmt.Errorf("authorisation refused: %s %s", e, q.Get("error_description"))
	}
	return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
}

// renewable keeps a new token with what renews it.
func (p *page) renewable(_ context.Context, c *oauth2.Config, tok *oauth2.Token) (oauth2.TokenSource, error) {
	return p.keep(p.resource, c, tok), nil
}
