package upstream

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The servers of these tests are the test binary itself, started again with HELVE_TEST_SERVER naming a behaviour.
const behaviour = "HELVE_TEST_SERVER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(behaviour); mode != "" {
		serveAs(mode)
		os.Exit(0)
	}
	if os.Getenv(conformanceClient) != "" {
		if err := conform(os.Args); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Cursor    string          `json:"cursor"`
		Responses json.RawMessage `json:"inputResponses"`

		Capabilities map[string]json.RawMessage `json:"capabilities"`
		Meta         struct {
			Token        json.RawMessage `json:"progressToken"`
			Capabilities json.RawMessage `json:"io.modelcontextprotocol/clientCapabilities"`
		} `json:"_meta"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

var outMu sync.Mutex

// What a capable server knows: what its client can be asked for, and whether it was called.
var (
	told  map[string]json.RawMessage
	grown bool

	listings int // of a fickle server
)

// jot appends a line to a file that a test reads.
func jot(file, line string) {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprintln(f, line)
}

func say(format string, args ...any) {
	outMu.Lock()
	defer outMu.Unlock()
	fmt.Fprintf(os.Stdout, format+"\n", args...)
}

func answer(id json.RawMessage, result string) {
	say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

const welcome = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"resources":{},"prompts":{}},"serverInfo":{"name":"test","version":"3"},"instructions":"be kind"}`

const echoTool = `{"name":"echo","description":"Says it again.","inputSchema":{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"},"text":{"type":"string"}}},"annotations":{"readOnlyHint":true},"execution":{"taskSupport":"optional"}}`

// serveAs is a server of the session protocol with one tool, whose behaviour differs in one thing. Modes may hold an argument after a colon.
func serveAs(mode string) {
	mode, arg, _ := strings.Cut(mode, ":")
	if begin(mode, arg) {
		return
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var r request
		if json.Unmarshal(line, &r) != nil {
			continue
		}
		handle(mode, arg, &r, in)
	}
}

// begin does what a server does before anybody speaks; true: that was all.
func begin(mode, arg string) bool {
	if file := os.Getenv("STARTS"); file != "" {
		jot(file, mode)
	}
	switch mode {
	case "dead":
		fmt.Fprintln(os.Stderr, "cannot find module", arg)
		os.Exit(1)
	case "sdk":
		official().Run(context.Background(), &sdk.StdioTransport{})
		return true
	case "mute":
		ignoreTerm()
		time.Sleep(time.Hour) // not select {}, which without cgo is a deadlock that Go sees
	case "late": // not before this file is there
		for os.Getppid() > 1 {
			if _, err := os.Stat(arg); err == nil {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
	case "noise":
		say("Welcome to the server!\n\x1b[31m[INFO]\x1b[0m listening\n{not json}\n[]\n{\"JSONRPC\":\"2.0\",\"ID\":1,\"RESULT\":{}}\n\xff\xfe\x00")
	case "longline":
		chunk := bytes.Repeat([]byte("x"), 1<<20)
		for range 100 {
			if _, err := os.Stdout.Write(chunk); err != nil {
				return true
			}
		}
	case "stderr":
		chunk := bytes.Repeat([]byte("complaint "), 1<<16)
		for range 200 {
			os.Stderr.Write(chunk)
		}
	case "capable":
		jot(arg, "started")
	case "child":
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), behaviour+"=mute")
		leaveGroup(c)
		c.Stdin, c.Stdout, c.Stderr = nil, os.Stdout, os.Stderr
		c.Start()
	}
	return false
}

func handle(mode, arg string, r *request, in *bufio.Reader) {
	switch {
	case mode == "legacyonly" && r.Method == "server/discover": // ignores what it does not know
	case mode == "diesofnew" && r.Method == "server/discover":
		fmt.Fprintln(os.Stderr, "panic: unknown method server/discover")
		os.Exit(2)
	case r.Method == "server/discover" && mode == "tasks":
		answer(r.ID, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}}`)
	case strings.HasPrefix(r.Method, "tasks/") && mode == "tasks":
		job.about(r, arg)
	case r.Method == "initialize" && mode == "silent":
	case r.Method == "initialize" && (mode == "undeclared" || mode == "nothing"):
		answer(r.ID, `{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"test","version":"3"}}`)
	case r.Method == "tools/list" && mode == "nothing":
		say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, r.ID)
	case r.Method == "initialize" && mode == "future":
		answer(r.ID, `{"protocolVersion":"2099-01-01","capabilities":{}}`)
	case r.Method == "initialize":
		told = r.Params.Capabilities
		answer(r.ID, welcome)
	case r.Method == "tools/list":
		list(mode, arg, r)
	case r.Method == "tools/call":
		callTool(mode, arg, r, in)
	case r.Method == "resources/list":
		if r.Params.Cursor == "" {
			answer(r.ID, `{"resources":[{"uri":"test://1","name":"one"}],"nextCursor":"2"}`)
		} else {
			answer(r.ID, `{"resources":[{"uri":"test://2","name":"two","mimeType":"text/plain","size":7}]}`)
		}
	case r.Method == "ping":
		answer(r.ID, `{}`)
	case r.ID != nil && r.Method != "":
		say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, r.ID)
	}
}

func list(mode, arg string, r *request) {
	switch mode {
	case "null":
		answer(r.ID, `{"tools":null}`)
	case "listless":
		answer(r.ID, `{}`)
	case "pages":
		n := len(r.Params.Cursor)
		next := ""
		if n < 4 {
			next = fmt.Sprintf(`,"nextCursor":"%s"`, strings.Repeat("x", n+1))
		}
		answer(r.ID, fmt.Sprintf(`{"tools":[{"name":"t%d","inputSchema":{"type":"object"}}]%s}`, n, next))
	case "cursor":
		if arg != "" {
			jot(arg, "a page")
		}
		answer(r.ID, `{"tools":[`+echoTool+`],"nextCursor":"again"}`)
	case "endless":
		answer(r.ID, fmt.Sprintf(`{"tools":[],"nextCursor":"%d"}`, time.Now().UnixNano()))
	case "many":
		var n int
		fmt.Sscan(arg, &n)
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"name":"tool_%d","description":"Does the thing number %d, and does it well.","inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"where"},"n":{"type":"integer"}},"required":["path"]}}`, i, i)
		}
		answer(r.ID, `{"tools":[`+b.String()+`]}`)
	case "defs":
		b, err := os.ReadFile(arg)
		if err != nil {
			panic(err)
		}
		answer(r.ID, `{"tools":`+strings.ReplaceAll(string(b), "\n", " ")+`}`)
	case "storm":
		answer(r.ID, `{"tools":[`+echoTool+`]}`)
		for range 100_000 {
			say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		}
	case "capable":
		jot(arg, "listed")
		tools := []string{echoTool}
		for _, c := range []string{"elicitation", "roots", "sampling"} {
			if told[c] != nil {
				tools = append(tools, strings.ReplaceAll(echoTool, `"echo"`, `"with_`+c+`"`))
			}
		}
		if grown {
			tools = append(tools, strings.ReplaceAll(echoTool, `"echo"`, `"grown"`))
		}
		answer(r.ID, `{"tools":[`+strings.Join(tools, ",")+`]}`)
	case "fickle": // never the same list twice, and it says so before each answer
		listings++
		say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		answer(r.ID, `{"tools":[`+echoTool+`,`+strings.ReplaceAll(echoTool, `"echo"`, fmt.Sprintf(`"t%d"`, listings))+`]}`)
	case "deaf": // shakes hands, and never lists
	case "senseless":
		answer(r.ID, `{"tools":"none"}`)
	case "nolist":
		say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"database is down"}}`, r.ID)
	default:
		answer(r.ID, `{"tools":[`+echoTool+`]}`)
	}
}

func callTool(mode, arg string, r *request, in *bufio.Reader) {
	var args struct{ Text string }
	json.Unmarshal(r.Params.Arguments, &args)
	switch mode {
	case "tasks":
		job.begin(r, args.Text)
		return
	case "long":
		result := fmt.Sprintf(`{"content":[{"type":"text","text":"%d"}]}`, os.Getpid())
		if args.Text == "long" {
			result = `{"content":[{"type":"text","text":"` + strings.Repeat("x", maxLine) + `"}]}`
		}
		if arg == "true" { // as the official library of TypeScript writes
			say(`{"result":%s,"jsonrpc":"2.0","id":%s}`, result, r.ID)
		} else {
			answer(r.ID, result)
		}
		return
	case "crash":
		fmt.Fprintln(os.Stderr, "fatal: out of cheese")
		os.Exit(3)
	case "hang":
		return
	case "result":
		b, err := os.ReadFile(arg)
		if err != nil {
			panic(err)
		}
		answer(r.ID, string(bytes.TrimSpace(b)))
		return
	case "elicit":
		say(`{"jsonrpc":"2.0","id":"ask-1","method":"elicitation/create","params":{"message":"Your name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}`)
		line, _ := in.ReadBytes('\n')
		var back request
		json.Unmarshal(line, &back)
		out, _ := json.Marshal(map[string]any{"content": []any{map[string]string{"type": "text", "text": string(back.Result) + string(back.Error)}}})
		answer(r.ID, string(out))
		return
	case "roots":
		say(`{"jsonrpc":"2.0","id":7,"method":"roots/list"}`)
		line, _ := in.ReadBytes('\n')
		var back request
		json.Unmarshal(line, &back)
		out, _ := json.Marshal(map[string]any{"content": []any{map[string]string{"type": "text", "text": string(back.Result) + string(back.Error)}}})
		answer(r.ID, string(out))
		return
	case "progress":
		for i := range 1000 {
			say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"total":1000,"message":"step"}}`, r.Params.Meta.Token, i)
		}
		say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":NaN,"total":1e999}}`, r.Params.Meta.Token)
		say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"nobody","progress":1}}`)
	case "ids":
		say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"first"}]}}`, r.ID)
		say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"twice"}]}}`, r.ID)
		say(`{"jsonrpc":"2.0","id":"","result":{}}` + "\n" + `{"jsonrpc":"2.0","id":null,"result":{}}` + "\n" + `{"jsonrpc":"2.0","result":{}}` + "\n" + `{"jsonrpc":"2.0","id":999999,"result":{}}`)
		return
	case "dupkeys":
		say(`{"jsonrpc":"2.0","id":%s,"id":1,"result":{"content":[{"type":"text","text":"twice"}]}}`, r.ID)
		say(`{"jsonrpc":"2.0","Id":%s,"RESULT":{"content":[{"type":"text","text":"shouted"}]}}`, r.ID)
	case "late-answer":
		line, _ := in.ReadBytes('\n') // the cancellation
		fmt.Fprintf(os.Stderr, "%s", line)
		os.WriteFile(arg, line, 0o600)
	case "capable":
		if !grown {
			grown = true
			say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		}
		args.Text = fmt.Sprint(os.Getpid())
	case "asks": // by what it is told: its process, a question, or no answer before the next question
		args.Text = asksOrTells(args.Text, r.ID, in)
		if args.Text == "" {
			return
		}
	case "pid":
		args.Text = fmt.Sprint(os.Getpid())
	case "env":
		args.Text = strings.Join(os.Environ(), "\n")
	case "flood":
		for range 200_000 {
			say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"talk"}}`)
		}
	case "kb":
		var n int
		fmt.Sscan(arg, &n)
		args.Text = strings.Repeat("lorem ipsum dolor sit amet, co\n", n<<10/31)
	case "big":
		args.Text = strings.Repeat("lorem ipsum dolor\n", 10<<20/18)
	}
	out, _ := json.Marshal(map[string]any{"content": []any{map[string]string{"type": "text", "text": args.Text}}})
	answer(r.ID, string(out))
}
