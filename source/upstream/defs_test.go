package upstream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"helve/tool"
)

// badForms are definitions of one tool that clients refuse, or may, by what is wrong.
func badForms() map[string]string {
	deep := func(n int) string {
		return strings.Repeat(`{"type":"object","properties":{"a":`, n) + `{}` + strings.Repeat(`}}`, n)
	}
	input := `"inputSchema":{"type":"object"}`
	in := func(s string) string { return `{"name":"bad","inputSchema":` + s + `}` }
	with := func(s string) string { return `{"name":"bad",` + input + `,` + s + `}` }
	return map[string]string{
		"no schema":                 `{"name":"bad"}`,
		"schema null":               in(`null`),
		"schema text":               in(`"object"`),
		"schema array":              in(`[]`),
		"schema true":               in(`true`),
		"type text":                 in(`{"type":"string"}`),
		"type list":                 in(`{"type":["object","null"]}`),
		"type number":               in(`{"type":5}`),
		"circle":                    in(`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`),
		"900 deep":                  in(deep(450)),
		"5000 deep":                 in(deep(2500)),
		"100000 deep":               in(strings.Repeat(`[`, 100_000) + strings.Repeat(`]`, 100_000)),
		"5 MB":                      in(`{"type":"object","description":"` + strings.Repeat("x", 5<<20) + `"}`),
		"properties list":           in(`{"type":"object","properties":[]}`),
		"properties of true":        in(`{"type":"object","properties":{"a":true,"b":false,"c":null,"d":"string"}}`),
		"required text":             in(`{"type":"object","required":"a"}`),
		"required numbers":          in(`{"type":"object","required":[1]}`),
		"output text":               with(`"outputSchema":{"type":"string"}`),
		"output array":              with(`"outputSchema":[]`),
		"output null":               with(`"outputSchema":null`),
		"output without type":       with(`"outputSchema":{"properties":{}}`),
		"output refers to nothing":  with(`"outputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/none"}}}`),
		"output with a bad pattern": with(`"outputSchema":{"type":"object","properties":{"a":{"type":"string","pattern":"("}}}`),
		"annotations text":          with(`"annotations":"x"`),
		"annotations wrong":         with(`"annotations":{"title":5,"readOnlyHint":"yes","x":1}`),
		"description number":        with(`"description":5`),
		"description null":          with(`"description":null`),
		"description 2 MB":          with(`"description":"` + strings.Repeat("x", 2<<20) + `"`),
		"description 100 KB":        with(`"description":"` + strings.Repeat("é", 50_000) + `"`),
		"title number":              with(`"title":5`),
		"title null":                with(`"title":null`),
		"meta text":                 with(`"_meta":"x"`),
		"icons text":                with(`"icons":"x"`),
		"icons of texts":            with(`"icons":["x"]`),
		"execution text":            with(`"execution":"x"`),
		"execution wrong":           with(`"execution":{"taskSupport":"maybe"}`),
		"unknown member":            with(`"unheardOf":{"x":[1]}`),
		"empty name":                `{"name":"",` + input + `}`,
		"name number":               `{"name":5,` + input + `}`,
		"long name":                 `{"name":"` + strings.Repeat("n", 1000) + `",` + input + `}`,
		"control in name":           `{"name":"b\u0007d",` + input + `}`,
		"other letters":             `{"name":"größe 東",` + input + `}`,
		"same name":                 `{"name":"echo",` + input + `}`,
		"null":                      `null`,
		"a text":                    `"echo"`,
	}
}

// relisted is what is passed on of a list in which one definition is bad: as a client gets it.
func relisted(t *testing.T, bad string) (list []byte, names string, found []Finding) {
	t.Helper()
	file := temp(t, "["+echoTool+","+bad+","+strings.ReplaceAll(echoTool, `"echo"`, `"last"`)+"]")
	s := newSource(t, stdioConfig("defs:"+file), Options{})
	r := &tool.Registry{}
	t.Cleanup(func() { r.Close() })
	if err := r.Attach(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	defs := []string{}
	for _, spec := range r.View().Specs() {
		defs = append(defs, string(spec.Wire))
	}
	return []byte(`{"tools":[` + strings.Join(defs, ",") + `]}`), toolNames(r), s.Findings()
}

// A bad definition costs at most its own tool: the official library takes what is passed on, and what was wrong is told.
func TestABadDefinitionCostsAtMostItsTool(t *testing.T) {
	silent := map[string]bool{
		"schema null": false, "description null": true, "title null": true, "output null": true, "unknown member": true, "other letters": true,
		"type list": true, "properties of true": true,
	}
	for what, bad := range badForms() {
		t.Run(what, func(t *testing.T) {
			list, names, found := relisted(t, bad)
			if !strings.Contains(names, "echo") || !strings.Contains(names, "last") {
				t.Errorf("the others are gone: %s; %.200v", names, found)
			}
			var got sdk.ListToolsResult
			if err := json.Unmarshal(list, &got); err != nil {
				t.Errorf("the library of Go refuses the list: %v", err)
			}
			for _, one := range got.Tools {
				schema, _ := json.Marshal(one.InputSchema)
				if !bytes.Contains(schema, []byte(`"type":"object"`)) {
					t.Errorf("%s: its schema is %.200s", one.Name, schema)
				}
			}
			if len(found) == 0 && !silent[what] {
				t.Errorf("nothing is told of it: %.300s", list)
			}
		})
	}
}

// typescript has the official library of TypeScript list tools that are given to it.
const typescript = `
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { readFileSync } from "node:fs";
const lists = JSON.parse(readFileSync(process.argv[2], "utf8"));
const out = {};
for (const [what, list] of Object.entries(lists)) {
  const client = new Client({ name: "test", version: "1" });
  const transport = {
    async start() {}, async close() {},
    async send(m) {
      if (m.method === "initialize") setImmediate(() => transport.onmessage({ jsonrpc: "2.0", id: m.id, result:
        { protocolVersion: m.params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } } }));
      else if (m.method === "tools/list") setImmediate(() => transport.onmessage({ jsonrpc: "2.0", id: m.id, result: list }));
    },
  };
  try { await client.connect(transport); out[what] = (await client.listTools()).tools.length; } catch (e) { out[what] = String(e).slice(0, 300); }
}
console.log(JSON.stringify(out));
`

func TestTheLibraryOfTypeScriptTakesWhatIsPassedOn(t *testing.T) {
	npm := os.Getenv("HELVE_NPM")
	if npm == "" {
		t.Skip("HELVE_NPM names no folder with the packages of npm")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node")
	}
	lists := map[string]json.RawMessage{}
	for what, bad := range badForms() {
		lists[what], _, _ = relisted(t, bad)
	}
	dir := t.TempDir()
	given, _ := json.Marshal(lists)
	for name, text := range map[string][]byte{"lists.json": given, "try.mjs": []byte(typescript)} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(npm, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(node, filepath.Join(dir, "try.mjs"), filepath.Join(dir, "lists.json")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %.2000s", err, out)
	}
	var got map[string]any
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %.2000s", err, out)
	}
	for what, n := range got {
		if n, ok := n.(float64); !ok || n < 2 {
			t.Errorf("%s: %v", what, got[what])
		}
	}
}

// A result that is nested deeper than anybody reads is answered at once, in words, and the server goes on.
func TestADeepResultIsAnsweredInWords(t *testing.T) {
	for _, n := range []int{1000, 200_000} {
		deep := strings.Repeat(`{"a":`, n) + `1` + strings.Repeat(`}`, n)
		for what, result := range map[string]string{
			"data":    `{"content":[{"type":"text","text":"words"}],"structuredContent":` + deep + `}`,
			"content": `{"content":[{"type":"text","text":"words"},` + deep + `]}`,
		} {
			k := attached(t, newSource(t, stdioConfig("result:"+temp(t, result)), Options{}))
			for range 2 {
				res := say1(t, k, "x")
				if all := res.Text() + string(res.Data); !strings.Contains(all, "words") || !strings.Contains(all+res.Display.String(), "nested too deep") {
					t.Errorf("%d deep %s: %.300q, %v", n, what, all, res.Err)
				}
			}
		}
	}
}

// An answer above the bound is an error of its call, and the server goes on.
func TestAnAnswerThatIsTooLongIsAnErrorOfItsCall(t *testing.T) {
	for _, last := range []bool{false, true} {
		c := stdioConfig(fmt.Sprintf("long:%v", last))
		k := attached(t, newSource(t, c, Options{}))
		pid := say1(t, k, "pid").Text()
		for range 2 {
			res := say1(t, k, "long")
			if res.Err == nil || !strings.Contains(res.Text(), "16777216 bytes") {
				t.Errorf("%.300q", res.Text())
			}
		}
		if now := say1(t, k, "pid").Text(); now != pid {
			t.Errorf("it was %s, and is %s", pid, now)
		}
	}
}

// A server is on another machine where its address says so, and only there.
func TestAServerIsAwayWhereItsAddressSaysSo(t *testing.T) {
	for at, away := range map[string]bool{
		"":                        false, // a command
		"http://localhost:8080":   false,
		"http://LocalHost./x":     false,
		"http://mcp.localhost/x":  false,
		"http://127.0.0.1:1/mcp":  false,
		"http://[::1]/mcp":        false,
		"http://0.0.0.0:1":        false,
		"http://172.17.0.2/mcp":   false, // a container may have the workspace
		"http://10.0.0.1":         false,
		"http://[fe80::1]/mcp":    false,
		"https://mcp.example.com": true,
		"https://8.8.8.8/mcp":     true,
	} {
		if c := (Config{URL: at}); c.away() != away {
			t.Errorf("%q: away %v", at, !away)
		}
	}
}
