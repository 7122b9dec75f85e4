package upstream

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"helve/tool"
)

// An issuer gives out tokens, is an identity provider, and the MCP server that wants the tokens, all at one address.
type issuer struct {
	*httptest.Server
	calls string // what metadata says of itself; "" for the truth

	mu     sync.Mutex
	forms  []map[string]string // of the requests for tokens
	refuse string              // an error in place of a token
}

func newIssuer(t *testing.T) *issuer {
	i := &issuer{}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"resource":%q,"authorization_servers":[%q],"scopes_supported":["mcp"]}`, i.URL+"/mcp", i.URL)
	})
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		name := i.URL
		if i.calls != "" {
			name = i.calls
		}
		fmt.Fprintf(w, `{"issuer":%q,"token_endpoint":%q}`, name, i.URL+"/token")
	})
	mux.HandleFunc("/token", i.token)
	mux.HandleFunc("/mcp", i.mcp)
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	r.ParseForm()
	form := map[string]string{}
	for k := range r.Form {
		form[k] = r.Form.Get(k)
	}
	form["user"], form["secret"], _ = r.BasicAuth()
	i.forms = append(i.forms, form)
	w.Header().Set("Content-Type", "application/json")
	if i.refuse != "" {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"error":%q}`, i.refuse)
		return
	}
	token := "good"
	if strings.Contains(form["grant_type"], "token-exchange") {
		token = "word"
	}
	fmt.Fprintf(w, `{"access_token":%q,"token_type":"Bearer","expires_in":3600,"issued_token_type":"urn:ietf:params:oauth:token-type:id-jag"}`, token)
}

func (i *issuer) mcp(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer good" {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+i.URL+`/.well-known/oauth-protected-resource/mcp"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var m request
	json.NewDecoder(r.Body).Decode(&m)
	result := map[string]string{
		"initialize": welcome,
		"tools/list": `{"tools":[` + echoTool + `]}`,
		"tools/call": `{"content":[{"type":"text","text":"called"}]}`,
	}[m.Method]
	w.Header().Set("Content-Type", "application/json")
	switch {
	case m.ID == nil:
		w.WriteHeader(http.StatusAccepted)
	case result == "":
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.ID)
	default:
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	}
}

// keyPEM is a fresh key, and its public half.
func keyPEM(t *testing.T) (string, *ecdsa.PublicKey) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), &k.PublicKey
}

// Each grant brings the server's authorisation server what it is made of, nobody is asked, and the call works.
func TestATokenWithoutAPerson(t *testing.T) {
	key, public := keyPEM(t)
	for name, c := range map[string]struct {
		oauth OAuth
		want  []map[string]string
	}{
		"secret": {
			OAuth{Grant: GrantClient, ClientID: "me", ClientSecret: "${env:S}"},
			[]map[string]string{{"grant_type": "client_credentials", "user": "me", "secret": "shh", "scope": "mcp"}},
		},
		"key": {
			OAuth{Grant: GrantClient, ClientID: "me", PrivateKey: key},
			[]map[string]string{{"grant_type": "client_credentials", "client_id": "me", "client_assertion_type": assertionType}},
		},
		"workload": {
			OAuth{Grant: GrantAssertion, ClientID: "me", Assertion: "the machine's"},
			[]map[string]string{{"grant_type": jwtBearer, "assertion": "the machine's"}},
		},
		"enterprise": {
			OAuth{Grant: GrantEnterprise, ClientID: "me", ClientSecret: "${env:S}", Assertion: "identity", IdentityIssuer: "issuer", IdentityClientID: "helve"},
			[]map[string]string{
				{"subject_token": "identity", "client_id": "helve", "requested_token_type": "urn:ietf:params:oauth:token-type:id-jag"},
				{"grant_type": jwtBearer, "assertion": "word", "user": "me", "secret": "shh"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			i := newIssuer(t)
			if c.oauth.IdentityIssuer != "" {
				c.oauth.IdentityIssuer = i.URL
			}
			s := newSource(t, Config{Name: "srv", URL: i.URL + "/mcp", OAuth: c.oauth}, Options{Environ: []string{"S=shh"}, StateDir: t.TempDir()})
			k := attached(t, s)
			if res := run(t, k, &tool.Call{Name: "mcp__srv__echo", Args: json.RawMessage(`{}`)}); res.Text() != "called" {
				t.Fatalf("%+v", res)
			}
			if len(i.forms) != len(c.want) {
				t.Fatalf("%d requests for tokens: %v", len(i.forms), i.forms)
			}
			for n, want := range c.want {
				for key, v := range want {
					if got := i.forms[n][key]; got != v {
						t.Errorf("request %d: %s is %q, want %q", n, key, got, v)
					}
				}
			}
			last := i.forms[len(i.forms)-1]
			if last["resource"] != i.URL+"/mcp" {
				t.Errorf("for %q", last["resource"])
			}
			if name != "key" {
				return
			}
			_, err := jwt.Parse(last["client_assertion"], func(*jwt.Token) (any, error) { return public, nil },
				jwt.WithAudience(i.URL), jwt.WithIssuer("me"), jwt.WithSubject("me"), jwt.WithExpirationRequired())
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// A secret goes to nobody but the issuer that is meant, over nothing that others read, and a refusal is the end of it.
func TestATokenIsNotAskedForAnywhere(t *testing.T) {
	secret := OAuth{Grant: GrantClient, ClientID: "me", ClientSecret: "shh"}
	for name, c := range map[string]struct {
		set  func(*issuer, *OAuth)
		want string
		asks int
	}{
		"refused":        {func(i *issuer, _ *OAuth) { i.refuse = "invalid_scope" }, "invalid_scope", 1},
		"another issuer": {func(_ *issuer, o *OAuth) { o.Issuer = "https://login.example.com" }, "allows https://login.example.com alone", 0},
		"a liar":         {func(i *issuer, _ *OAuth) { i.calls = "https://login.example.com" }, "calls itself", 0},
		"no key":         {func(_ *issuer, o *OAuth) { o.ClientSecret, o.PrivateKey = "", "nonsense" }, "want a private key", 0},
		"no variable":    {func(_ *issuer, o *OAuth) { o.ClientSecret = "${env:NOPE}" }, "NOPE is not set", 0},
	} {
		t.Run(name, func(t *testing.T) {
			i, own := newIssuer(t), secret
			c.set(i, &own)
			s := newSource(t, Config{Name: "srv", URL: i.URL + "/mcp", OAuth: own}, Options{Environ: []string{}})
			_, err := s.Tools(t.Context())
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "shh") {
				t.Errorf("%v, want %s", err, c.want)
			}
			if len(i.forms) > c.asks {
				t.Errorf("asked %d times: %v", len(i.forms), i.forms)
			}
		})
	}
	for at, want := range map[string]bool{
		"https://a.example": true, "http://127.0.0.1:1": true, "http://[::1]/": true, "http://localhost": true,
		"http://a.example": false, "http://127.0.0.1.a.example": false, "file:///etc": false, "": false,
	} {
		if err := safe(at); (err == nil) != want {
			t.Errorf("%q: %v", at, err)
		}
	}
	for _, o := range []OAuth{{Grant: "magic"}, {Grant: GrantClient}, {Grant: GrantAssertion}, {Grant: GrantEnterprise, ClientID: "x"}} {
		if _, err := New(Config{Name: "srv", URL: "https://a.example", OAuth: o}, Options{}); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
}

// A proof is of one request with one token, says what the server wanted to hear, and is made by a key that outlives the program.
func TestAProofIsOfOneRequest(t *testing.T) {
	b := &binder{}
	r, _ := http.NewRequest("POST", "https://a.example/mcp?secret=1", nil)
	if err := b.sign(r, "tok"); err != nil || r.Header.Get("DPoP") != "" {
		t.Errorf("signed although nobody wanted it: %v", err)
	}
	challenge := &http.Response{Header: http.Header{"Www-Authenticate": {`DPoP error="use_dpop_nonce"`}, "Dpop-Nonce": {"n1"}}, Request: r}
	if want, err := b.wanted(challenge); !want || err != nil {
		t.Fatal(want, err)
	}
	b.heard(challenge)
	kept := &binder{}
	kept.load(b.stored())
	seen := map[string]bool{}
	for _, c := range []struct {
		b           *binder
		url, nonces string
	}{{b, "https://a.example/mcp?secret=1", "n1"}, {b, "https://a.example/mcp", "n1"}, {kept, "https://b.example/", ""}} {
		r, _ := http.NewRequest("POST", c.url, nil)
		if err := c.b.sign(r, "tok"); err != nil {
			t.Fatal(err)
		}
		claims := jwt.MapClaims{}
		tok, err := jwt.ParseWithClaims(r.Header.Get("DPoP"), claims, func(*jwt.Token) (any, error) { return &b.key.PublicKey, nil })
		if err != nil || tok.Header["typ"] != "dpop+jwt" || claims["htm"] != "POST" || strings.Contains(fmt.Sprint(claims["htu"]), "?") {
			t.Errorf("%v %v: %v", tok.Header, claims, err)
		}
		if n, _ := claims["nonce"].(string); n != c.nonces || claims["ath"] == nil || seen[fmt.Sprint(claims["jti"])] {
			t.Errorf("%v", claims)
		}
		seen[fmt.Sprint(claims["jti"])] = true
	}
}
