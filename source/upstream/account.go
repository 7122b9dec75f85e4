package upstream

import (
	"errors"
	"fmt"
)

// OAuth names a client that an authorisation server knows already.
type OAuth struct {
	ClientID     string // registered before; "" means none
	ClientSecret string // of that client; ${env:NAME} and ${file:PATH} are replaced
	MetadataURL  string // https address of a document that describes the client, where the server takes one

	// Grant is how a token is had without a person: GrantClient, GrantAssertion or
	// GrantEnterprise; "" asks a person. In PrivateKey and Assertion ${env:NAME} and
	// ${file:PATH} are replaced, each time that a token is asked for.
	Grant            string
	PrivateKey       string // of GrantClient, in PEM, in place of a secret
	Assertion        string // the workload's token of GrantAssertion, the identity token of GrantEnterprise
	IdentityIssuer   string // of GrantEnterprise: the company's identity provider
	IdentityClientID string // as which helve is registered there
	Issuer           string // the only authorisation server that gets to see any of this; "": the one that the MCP server names
}

// Grants that need no person, as OAuth.Grant names them.
const (
	GrantClient     = "client_credentials" // the client's own secret, or its key (RFC 7523, section 2.2)
	GrantAssertion  = "jwt_bearer"         // a token of the machine that it runs on: workload identity (RFC 7523, section 2.1)
	GrantEnterprise = "enterprise"         // an identity token of the company, exchanged for one that is good here (SEP-990)
)

// validate tells what a grant lacks.
func (o *OAuth) validate() error {
	lacks := func(key, v string) error {
		if v == "" {
			return fmt.Errorf("oauth: grant %s needs %s", o.Grant, key)
		}
		return nil
	}
	switch o.Grant {
	case "":
		return nil
	case GrantClient:
		return errors.Join(lacks("client_id", o.ClientID),
			lacks("client_secret or private_key", o.ClientSecret+o.PrivateKey))
	case GrantAssertion:
		return lacks("assertion", o.Assertion)
	case GrantEnterprise:
		return errors.Join(lacks("client_id", o.ClientID), lacks("assertion", o.Assertion),
			lacks("identity_issuer", o.IdentityIssuer), lacks("identity_client_id", o.IdentityClientID))
	}
	return fmt.Errorf("oauth: grant %q: want %s, %s or %s", o.Grant, GrantClient, GrantAssertion, GrantEnterprise)
}

// expanded is o with what its references stand for.
func (o OAuth) expanded(environ []string) (OAuth, error) {
	for _, p := range []struct {
		key  string
		text *string
	}{
		{"client_secret", &o.ClientSecret},
		{"private_key", &o.PrivateKey},
		{"assertion", &o.Assertion},
	} {
		v, err := expanded(*p.text, environ)
		if err != nil {
			return o, fmt.Errorf("oauth: %s: %w", p.key, err)
		}
		*p.text = v
	}
	return o, nil
}
