package helve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"helve"
	"helve/server"
	"helve/tool"
)

// person is a home folder and a workspace with one file, so that the examples touch nobody's own. A program leaves Environ,
// and mostly Dirs, alone.
func person() (o helve.Options, done func()) {
	home, err := os.MkdirTemp("", "helve-example-")
	if err != nil {
		log.Fatal(err)
	}
	dir := filepath.Join(home, "work")
	if err := os.Mkdir(dir, 0o755); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\n"), 0o644); err != nil {
		log.Fatal(err)
	}
	o.Dirs = []string{dir}
	o.Environ = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	o.Places.Managed = filepath.Join(home, "etc")
	return o, func() { os.RemoveAll(home) }
}

// A workspace, and a call of one of its tools. What would have to be asked is refused, as nobody is there.
func ExampleOpen() {
	o, done := person()
	defer done()
	ctx := context.Background()
	ws, err := helve.Open(ctx, o)
	if err != nil {
		log.Fatal(err)
	}
	defer ws.Close()
	for _, c := range []tool.Call{
		{Name: "read", Args: json.RawMessage(`{"file_path":"a.txt"}`)},
		{Name: "write", Args: json.RawMessage(`{"file_path":"b.txt","contents":"two"}`)},
	} {
		res, err := ws.Kit().Call(ctx, &c)
		if err != nil {
			log.Fatal(err) // the context is done: what goes wrong in a call is in its result
		}
		fmt.Println(res.Text())
	}
	// Output:
	// 1|one
	// Error: write: needs approval, and nobody can be asked.
	// changing files needs approval
}

// deploy is a tool of a program's own. Its job says what it would do, so that rules, and whoever is asked, can judge that.
func deploy() tool.Tool {
	type in struct {
		Host string `json:"host" jsonschema:"description=Where to"`
	}
	spec := tool.Spec{Name: "deploy", Kind: tool.Net, Doc: tool.Doc{Short: "Deploys the workspace."}}
	return tool.Plan(spec, func(_ context.Context, _ *tool.Call, in in) (*tool.Job, error) {
		return &tool.Job{
			Title:   "deploy to " + in.Host,
			Effects: []tool.Effect{{Kind: tool.Net, Target: in.Host}},
			Run: func(context.Context) (*tool.Result, error) {
				return tool.Textf("deployed to %s", in.Host), nil
			},
		}, nil
	})
}

// A tool of the program's own is judged like all others: here the program's own configuration speaks of it.
func ExampleWorkspace_Add() {
	o, done := person()
	defer done()
	o.Config = []byte(`{"rules": [{"allow": "deploy:*.test"}, {"deny": "deploy:prod.test"}]}`)
	ctx := context.Background()
	ws, err := helve.Open(ctx, o)
	if err != nil {
		log.Fatal(err)
	}
	defer ws.Close()
	if err := ws.Add(deploy()); err != nil {
		log.Fatal(err)
	}
	for _, host := range []string{"a.test", "prod.test", "example.com"} {
		args, _ := json.Marshal(map[string]string{"host": host})
		res, _ := ws.Kit().Call(ctx, &tool.Call{Name: "deploy", Args: args})
		line, _, _ := strings.Cut(res.Text(), "\n")
		fmt.Println(line)
	}
	// Output:
	// deployed to a.test
	// Error: deploy: refused by policy.
	// Error: deploy: needs approval, and nobody can be asked.
}

// Who is asked gets the question with its reason and its preview; a yes may hold for longer.
func ExampleOptions_ask() {
	o, done := person()
	defer done()
	o.Ask = func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		fmt.Println(q.Job.Title, "–", q.Verdict.Why())
		fmt.Print(q.Preview)
		return tool.Answer{Yes: true, For: tool.ThisSession}, nil
	}
	ctx := context.Background()
	ws, err := helve.Open(ctx, o)
	if err != nil {
		log.Fatal(err)
	}
	defer ws.Close()
	s := ws.NewSession()
	read := &tool.Call{Name: "read", Session: s, Args: json.RawMessage(`{"file_path":"a.txt"}`)}
	edit := &tool.Call{Name: "edit", Session: s, Args: json.RawMessage(
		`{"file_path":"a.txt","old_string":"one","new_string":"two"}`)}
	for _, c := range []*tool.Call{read, edit} { // what nobody read is not edited
		res, err := ws.Kit().Call(ctx, c)
		if err != nil || res.Err != nil {
			log.Fatal(err, res)
		}
	}
	// Output:
	// edit a.txt – changing files needs approval
	// --- a/a.txt
	// +++ b/a.txt
	// @@ -1 +1 @@
	// -one
	// +two
}

// Why says what decides about a call, without running it. It encodes to the JSON of helve why --json.
func ExampleWorkspace_Why() {
	o, done := person()
	defer done()
	o.Mode = "plan"
	ws, err := helve.Open(context.Background(), o)
	if err != nil {
		log.Fatal(err)
	}
	defer ws.Close()
	x, err := ws.Why(context.Background(), &tool.Call{Name: "write"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(x.Call.Verdict, "–", x.Call.Reason)
	fmt.Println(x.Call.Rule, "in layer", x.Call.Layer)
	// Output:
	// deny – plan mode offers read-only tools only
	// mode:plan in layer flags
}

// The same tools for an MCP client. A client would be at the other end of os.Stdin; who approves is asked through it.
func ExampleWorkspace_Server() {
	o, done := person()
	defer done()
	o.Ask = server.Asker(server.ApproveAuto)
	ctx := context.Background()
	ws, err := helve.Open(ctx, o)
	if err != nil {
		log.Fatal(err)
	}
	defer ws.Close()
	srv := ws.Server(server.Options{Version: "1"})
	defer srv.Close()
	said := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"file_path":"a.txt"},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"
	if err := srv.Serve(ctx, strings.NewReader(said), os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"     1|one"}],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"helve","title":"helve","version":"1"}}}}
}

// A clock is a part of one's own: a tool, and a key of the configuration that says how it speaks.
type clock struct{}

// Keys are the clock's own.
func (clock) Keys() []string { return []string{"clock"} }

// Open brings the tool.
func (clock) Open(_ context.Context, s *helve.Site) error {
	own := struct{ Format string }{Format: "15:04"}
	if v := s.Value("clock"); v != nil {
		if err := json.Unmarshal(v, &own); err != nil {
			return err
		}
	}
	spec := tool.Spec{Name: "time", Kind: tool.Read, Touches: tool.Nothing, Doc: tool.Doc{Short: "Tells the time."}}
	s.Add(tool.New(spec, func(context.Context, *tool.Call, struct{}) (*tool.Result, error) {
		return tool.Textf("%s", time.Unix(0, 0).UTC().Format(own.Format)), nil
	}))
	return nil
}

// A part of one's own has tools, and keys in the configuration of whoever uses the program.
func ExamplePart() {
	o, done := person()
	defer done()
	o.Parts = []helve.Part{clock{}}
	o.Config = []byte(`{"clock": {"format": "15h04"}}`)
	ctx := context.Background()
	ws, err := helve.Open(ctx, o)
	if err != nil {
		log.Fatal(err)
	}
	defer ws.Close()
	r, err := ws.Kit().Call(ctx, &tool.Call{Name: "time", Args: json.RawMessage(`{}`)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Text())
	// Output: 00h00
}
