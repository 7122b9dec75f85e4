package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"helve/engine/schema"
	rawjson "helve/internal/json"
	"helve/internal/rpc"
	"helve/tool"
)

// conformanceClient is set for the client that the official suite starts: the test binary again.
const conformanceClient = "HELVE_TEST_CONFORMANCE"

// npm is the folder that scripts/npm-tools filled; the test is skipped without it.
func npm(t testing.TB) (dir, node string) {
	t.Helper()
	dir = os.Getenv("HELVE_NPM")
	if dir == "" {
		t.Skip("HELVE_NPM names no folder filled by scripts/npm-tools")
	}
	node = filepath.Join(dir, "node_modules", ".bin", "node")
	if _, err := os.Stat(node); err != nil {
		var found error
		if node, found = exec.LookPath("node"); found != nil {
			t.Skip("there is no node: ", found)
		}
	}
	return dir, node
}

// suiteTries is how often a suite may be run until it passes: it starts all scenarios at once and judges some by the clock, in tenths of
// a second, which a machine that is busy cannot keep.
const suiteTries = 5

// The official suite passes: all of core, in its last release and in the one that knows the newest revision, and all that the two
// newest revisions require.
func TestTheOfficialClientSuitePasses(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	dir, node := npm(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ where, which, what string }{
		{"", "--suite", "core"}, {"next", "--suite", "core"}, {"next", "--requirements", rpc.Session}, {"next", "--requirements", rpc.Stateless},
		{"next", "--scenario", "auth/client-credentials-jwt"}, {"next", "--scenario", "auth/client-credentials-basic"},
		{"next", "--scenario", "auth/enterprise-managed-authorization"}, {"next", "--scenario", "auth/wif-jwt-bearer"},
		{"next", "--scenario", "auth/dpop"}, {"next", "--scenario", "auth/dpop-nonce"},
		{"next", "--scenario", "sep-2640-client-no-prefetch"}, {"next", "--scenario", "sep-2640-client-verify-digest"},
		{"next", "--scenario", "sep-2640-client-verify-size"}, {"next", "--scenario", "sep-2640-client-verify-frontmatter"},
	} {
		t.Run(strings.TrimSpace(c.where+" "+c.what), func(t *testing.T) {
			suite := filepath.Join(dir, c.where, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
			if _, err := os.Stat(suite); err != nil {
				t.Skip(err)
			}
			for try := range suiteTries {
				cmd := exec.Command(node, suite, "client", "--command", self, c.which, c.what, "--timeout", fmt.Sprint(ample.Milliseconds()), "-o", t.TempDir())
				cmd.Env = append(os.Environ(), conformanceClient+"=1")
				out, err := cmd.CombinedOutput()
				t.Logf("%s", out[max(0, len(out)-6000):])
				if err == nil {
					return
				}
				if try == suiteTries-1 {
					t.Error(err)
				}
			}
		})
	}
}

// A scripted call is one that a scenario asks for.
type scripted struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// conform does what a scenario of the suite wants, at the address that is the last argument.
func conform(args []string) error {
	ctx, stop := context.WithTimeout(context.Background(), ample)
	defer stop()
	var given struct {
		ClientID string     `json:"client_id"`
		Secret   string     `json:"client_secret"`
		Key      string     `json:"private_key_pem"`
		Workload string     `json:"valid_jwt"`
		Identity string     `json:"idp_id_token"`
		Issuer   string     `json:"idp_issuer"`
		IssuerID string     `json:"idp_client_id"`
		Calls    []scripted `json:"toolCalls"`
	}
	json.Unmarshal([]byte(os.Getenv("MCP_CONFORMANCE_CONTEXT")), &given)
	own := OAuth{ClientID: given.ClientID, ClientSecret: given.Secret, MetadataURL: "https://conformance-test.local/client-metadata.json"}
	switch scenario := os.Getenv("MCP_CONFORMANCE_SCENARIO"); {
	case strings.HasPrefix(scenario, "auth/client-credentials"):
		own.Grant, own.PrivateKey = GrantClient, given.Key
	case scenario == "auth/wif-jwt-bearer":
		own.Grant, own.Assertion = GrantAssertion, given.Workload
	case scenario == "auth/enterprise-managed-authorization":
		own.Grant, own.Assertion, own.IdentityIssuer, own.IdentityClientID = GrantEnterprise, given.Identity, given.Issuer, given.IssuerID
	}
	s, err := New(Config{Name: "suite", URL: args[len(args)-1], StartTimeout: ample, Timeout: ample, OAuth: own}, Options{Login: LoginBy(straight{})})
	if err != nil {
		return err
	}
	defer s.Close()
	s.calls.dialer.probe = ample // the suite, on a machine that it keeps busy itself
	if strings.HasPrefix(os.Getenv("MCP_CONFORMANCE_SCENARIO"), "sep-2640-") {
		return loadSkill(ctx, s, strings.Contains(os.Getenv("MCP_CONFORMANCE_SCENARIO"), "verify"))
	}
	r := &tool.Registry{}
	defer r.Close()
	if err := r.Attach(ctx, s); err != nil {
		return err
	}
	k := r.Kit(tool.KitOptions{Policy: allow{}})
	if given.Calls == nil {
		given.Calls = script(k.View())
	}
	session := &tool.Session{Capabilities: json.RawMessage(`{"elicitation":{"form":{"applyDefaults":true}}}`), Back: withDefaults}
	defer session.Close()
	if !strings.Contains(os.Getenv("MCP_CONFORMANCE_SCENARIO"), "elicitation") {
		session = nil
	}
	return errors.Join(eachOf(ctx, k, session, given.Calls)...)
}

// withDefaults is a client that does as it declares: what its person left empty has the question's defaults.
func withDefaults(_ context.Context, _ string, params json.RawMessage) (json.RawMessage, error) {
	wanted, err := schema.Parse(rawjson.Get(params, "requestedSchema"))
	if err != nil {
		return nil, err
	}
	content, err := wanted.Check(json.RawMessage("{}"))
	if err != nil {
		return nil, err
	}
	return rawjson.Set(json.RawMessage(`{"action":"accept"}`), "content", content), nil
}

// loadSkill does what a host does with a server's skills: it lists them and, if it wants one, reads its files in order until one is refused.
func loadSkill(ctx context.Context, s *Source, wanted bool) error {
	entries, err := s.List(ctx, nil, rpc.MethodSkills, "skills")
	if err != nil || !wanted {
		return err
	}
	var entry struct{ Resources []struct{ URI string } }
	if err := json.Unmarshal(entries[0], &entry); err != nil {
		return err
	}
	for _, f := range entry.Resources {
		params, _ := json.Marshal(map[string]string{"uri": f.URI})
		if _, err := s.Request(ctx, nil, "resources/read", params); err != nil {
			return err
		}
	}
	return nil
}

// script is what a scenario without a script of its own wants: every tool called once, with what it takes.
func script(v *tool.View) []scripted {
	var out []scripted
	var focal json.RawMessage
	for _, sp := range v.Specs() {
		c := scripted{v.Name(sp), json.RawMessage(`{}`)}
		switch sp.Name {
		case "add_numbers":
			c.Arguments = json.RawMessage(`{"a":5,"b":3}`)
		case "valid_tool":
			c.Arguments = json.RawMessage(`{"region":"eu"}`)
		case "json_schema_2020_12_tool": // its schema comes back through the other tool
			focal = sp.Input.JSON()
			continue
		case "json_schema_echo":
			c.Arguments = json.RawMessage(`{"schema":` + string(focal) + `}`)
		}
		out = append(out, c)
	}
	return out
}

// eachOf makes the calls; one that wants input gets it after all the others.
func eachOf(ctx context.Context, k *tool.Kit, session *tool.Session, calls []scripted) (bad []error) {
	var again []*tool.Call
	for _, c := range calls {
		call := &tool.Call{Name: c.Name, Args: c.Arguments, Session: session}
		res, err := k.Call(ctx, call)
		switch {
		case err != nil || res.Err != nil:
			bad = append(bad, errors.Join(err, fmt.Errorf("%s: %v", c.Name, res.Text())))
		case res.Need != nil:
			call.Resume = &tool.Resume{State: res.Need.State, Answers: json.RawMessage(`{"confirm":{"action":"accept","content":{"confirmed":true}}}`)}
			again = append(again, call)
		}
	}
	for _, call := range again {
		if res, err := k.Call(ctx, call); err != nil || res.Err != nil || res.Need != nil {
			bad = append(bad, errors.Join(err, fmt.Errorf("%s, again: %v", call.Name, res.Text())))
		}
	}
	return bad
}

// straight is a person who says yes at once: the suite's page redirects immediately.
type straight struct{}

func (straight) RedirectURL() string { return "http://localhost:3000/callback" }

func (straight) Authorize(ctx context.Context, page string) (url.Values, error) {
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return nil, err
	}
	resp, err := c.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	to, err := url.Parse(resp.Header.Get("Location"))
	if err != nil {
		return nil, err
	}
	return to.Query(), nil
}
