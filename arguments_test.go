package helve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"helve/builtin"
	"helve/codetool"
	"helve/engine/schema"
	"helve/policy"
	"helve/tool"
)

// unknownNames is how many calls with a name that no parameter has are made of each tool.
const unknownNames = 1000

// silent are the names that mean nothing for the work (docs/arguments.md).
var silent = []string{
	"explanation", "reason", "reasoning", "rationale", "thought", "thinking", "purpose", "intent", "summary", "justification",
	"comment", "note", "description", "title", "_meta",
}

// ran is what the job of every tool says in these tests: what runs is looked at, not done.
const ran = "it ran with "

// openTool is a tool from elsewhere whose schema takes other names, closedTool one whose schema forbids them.
const (
	openTool   = `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`
	closedTool = `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}`
)

type deployIn struct {
	Env string `json:"env"`
}

func (in deployIn) String() string { return "deploy to " + in.Env }

// everyTool is a kit of tools of all origins, which run nothing.
func everyTool(t *testing.T) *tool.Kit {
	t.Helper()
	ws, err := builtin.Open(builtin.Options{Dirs: []string{t.TempDir()}, Environ: []string{"HOME=" + t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	x, err := codetool.Open(codetool.Options{Dir: t.TempDir(), Environ: []string{"HOME=" + t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	all := slices.Concat(builtin.All(ws), codetool.All(x), ownTools(), foreignTools(t))
	reg := &tool.Registry{}
	if err := reg.Add(all...); err != nil {
		t.Fatal(err)
	}
	return reg.Kit(tool.KitOptions{Policy: everything{}, Wrap: []func(tool.Runner) tool.Runner{tellArguments}})
}

// everything is a policy under which everything runs.
type everything struct{}

func (everything) Lists(*tool.Spec) tool.Verdict { return tool.Verdict{Decision: tool.Allow} }
func (everything) Judge(*tool.Job) tool.Verdict  { return tool.Verdict{Decision: tool.Allow} }

func tellArguments(tool.Runner) tool.Runner {
	return func(_ context.Context, j *tool.Job) (*tool.Result, error) {
		return tool.NewResult(tool.Text(ran + string(j.Call.Args))), nil
	}
}

// ownTools are those of a program that embeds helve.
func ownTools() []tool.Tool {
	run := func(context.Context, *tool.Call, deployIn) (*tool.Result, error) { return nil, nil }
	return []tool.Tool{
		tool.New(tool.Spec{Name: "deploy", Kind: tool.Exec, Doc: tool.Doc{Short: "Deploys."}}, run),
		tool.New(tool.Spec{Name: "deployed", Kind: tool.Read, Doc: tool.Doc{Short: "Tells what is deployed."}}, run),
	}
}

// foreignTools are those of a discovery command and of an MCP server, which says that they only read.
func foreignTools(t *testing.T) (out []tool.Tool) {
	for _, o := range []tool.Origin{{Kind: tool.Command}, {Kind: tool.MCP, Server: "far"}} {
		for name, text := range map[string]string{"takes_more": openTool, "takes_no_more": closedTool} {
			input, err := schema.Parse([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			o.Name = string(o.Kind) + "_" + name
			s := tool.Spec{Name: o.Name, Origin: o, Kind: tool.Read, Input: input, Doc: tool.Doc{Short: "Tells."}}
			made, err := tool.Raw(s, nil)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, made)
		}
	}
	return out
}

// Of a thousand names that no parameter of a tool has, none is lost without a word: the call fails, or what the model reads says so.
func TestNoUnknownNameIsLostWithoutAWord(t *testing.T) {
	kit := everyTool(t)
	tools := 0
	for _, s := range kit.View().Specs() {
		tools++
		t.Run(s.Name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, uint64(len(s.Name))))
			x := &unknown{kit: kit, spec: s, base: least(t, kit, s), rng: rng}
			for made := 0; made < unknownNames; {
				if name := x.name(); name != "" && !known(s, name) {
					x.call(t, name)
					made++
				}
			}
			t.Logf("%+v", x.seen)
		})
	}
	if tools < 13+18+2+4 {
		t.Errorf("%d tools", tools)
	}
}

// An unknown calls one tool with names that it does not know.
type unknown struct {
	kit  *tool.Kit
	spec *tool.Spec
	base map[string]any // arguments that it takes
	rng  *rand.Rand
	seen struct{ refused, ignored, translated, meaningless, untouched int }
}

func (x *unknown) call(t *testing.T, name string) {
	in := maps.Clone(x.base)
	in[name] = []any{true, "x", 7, nil, []int{1, 2}, map[string]int{"a": 1}}[x.rng.IntN(6)]
	args, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	res, err := x.kit.Call(t.Context(), &tool.Call{Name: x.spec.Name, Args: args, Session: &tool.Session{ID: "s"}})
	if err != nil {
		t.Fatal(err)
	}
	text := res.Text()
	switch {
	case len(text) > 4<<10 && !strings.HasPrefix(text, ran):
		t.Errorf("%.200q: the answer has %d bytes", args, len(text))
	case res.Err != nil:
		x.seen.refused++
		if res.Err.Code != tool.Validation {
			t.Errorf("%.200q: %s", args, text)
		}
	case strings.HasPrefix(text, "[ignored: "):
		x.seen.ignored++
	case strings.Contains(text, "[repaired: ") && strings.Contains(strings.ToLower(text), strings.ToLower(name)):
		x.seen.translated++
	case slices.Contains(silent, strings.ToLower(strings.TrimLeft(name, "_"))), name == "_meta":
		x.seen.meaningless++
	case x.holdsAnyhow(name):
		x.seen.meaningless++
	case json.Valid([]byte(text[len(ran):])) && x.got(text[len(ran):], name):
		x.seen.untouched++
	default:
		t.Errorf("lost: %.200q: the model reads %.200q", args, text)
	}
}

// holdsAnyhow tells of names whose only possible value is what holds without them.
func (x *unknown) holdsAnyhow(name string) bool {
	for from, s := range x.spec.Translate {
		if strings.EqualFold(from, name) {
			return s.Only != ""
		}
	}
	return false
}

// got tells that a tool from elsewhere got the name as it was.
func (x *unknown) got(args, name string) bool {
	var in map[string]any
	if x.spec.Origin.Server == "" && x.spec.Origin.Kind != tool.Command || json.Unmarshal([]byte(args), &in) != nil {
		return false
	}
	_, there := in[name]
	return there
}

// name is one that somebody might give: what models invent, slips, other scripts, what parsers stumble over.
func (x *unknown) name() string {
	words := []string{
		"append", "dry_run", "exclude", "force", "timeout", "limit", "encoding", "recursive", "verbose", "mode", "path", "query", "name",
		"max", "filter", "format", "data", "options", "target", "start", "end", "lines", "all", "id", "type", "value", "config",
	}
	word := words[x.rng.IntN(len(words))]
	other := words[x.rng.IntN(len(words))]
	switch x.rng.IntN(11) {
	case 0:
		return word
	case 1:
		return word + "_" + other
	case 2:
		return word + strings.ToUpper(other[:1]) + other[1:]
	case 3:
		return x.slip(word)
	case 4:
		return strings.Repeat(word, 10<<10/len(word)) // 10 KB
	case 5:
		return []string{"路径", "パス", "경로", "文件路径", "限制"}[x.rng.IntN(5)]
	case 6:
		return strings.NewReplacer("a", "а", "e", "е", "o", "о", "p", "р", "i", "і").Replace(word) // Cyrillic
	case 7:
		return word + []string{".", "[0].", "[]", "[0]", "/", "\\", " ", "\n", "\u202e", "\x00"}[x.rng.IntN(10)] + other
	case 8:
		return silent[x.rng.IntN(len(silent))]
	case 9:
		if said := slices.Sorted(maps.Keys(x.spec.Translate)); len(said) > 0 {
			return said[x.rng.IntN(len(said))]
		}
	}
	return fmt.Sprintf("x%d", x.rng.IntN(1000))
}

// slip is a parameter's name, or a word, with two letters exchanged, one lost or one too many.
func (x *unknown) slip(word string) string {
	if props := x.spec.Input.Properties(); len(props) > 0 && x.rng.IntN(3) > 0 {
		word = props[x.rng.IntN(len(props))].Name
	}
	i := x.rng.IntN(len(word))
	switch x.rng.IntN(4) {
	case 0:
		return word[:i] + word[i+1:]
	case 1:
		return word[:i] + "q" + word[i:]
	case 2:
		return strings.ToUpper(word)
	}
	return word + word[i:i+1]
}

func known(s *tool.Spec, name string) bool {
	return slices.ContainsFunc(s.Input.Properties(), func(p schema.Property) bool { return p.Name == name })
}

// least are the smallest arguments with which a tool runs.
func least(t *testing.T, kit *tool.Kit, s *tool.Spec) map[string]any {
	t.Helper()
	in := map[string]any{}
	for _, p := range s.Input.Properties() {
		switch {
		case !p.Required && p.Name != "file_path":
		case p.Name == "url":
			in[p.Name] = "https://example.com/"
		case p.Type == "string":
			in[p.Name] = "x"
		case p.Name == "edits":
			in[p.Name] = []any{map[string]any{"old_string": "a", "new_string": "b"}}
		case p.Name == "todos":
			in[p.Name] = []any{map[string]any{"content": "x"}}
		default:
			t.Fatalf("%s: what is a value for %s, a %s?", s.Name, p.Name, p.Type)
		}
	}
	args, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	res, err := kit.Call(t.Context(), &tool.Call{Name: s.Name, Args: args, Session: &tool.Session{ID: "s"}})
	if err != nil || res.Err != nil || !strings.HasPrefix(res.Text(), ran) {
		t.Fatalf("%s %s: %v, %v", s.Name, args, res, err)
	}
	return in
}

// An unknown name inside a list of objects is no less refused.
func TestNoUnknownNameInsideIsLost(t *testing.T) {
	kit := everyTool(t)
	for name, args := range map[string]string{
		"multi_edit": `{"file_path":"f","edits":[{"old_string":"a","new_string":"b",%q:1}]}`,
		"todo_write": `{"todos":[{"content":"x"},{"content":"y",%q:1}]}`,
	} {
		for _, inner := range []string{"regex", "路径", "a.b[0]", "old_strin", "contnt", strings.Repeat("n", 10<<10)} {
			res, err := kit.Call(t.Context(), &tool.Call{Name: name, Args: json.RawMessage(fmt.Sprintf(args, inner))})
			if err != nil || res.Err == nil || !strings.Contains(res.Text(), "unknown property") || len(res.Text()) > 4<<10 {
				t.Errorf("%s with %.40q: %v, %v", name, inner, res.Text(), err)
			}
		}
	}
}

// An embedder's tool that writes is never run without what was asked of it.
func TestDeployWithDryRunDoesNotDeploy(t *testing.T) {
	kit := everyTool(t)
	for args, want := range map[string]string{
		`{"env":"prod","dry_run":true}`:            "dry_run: unknown property: known are env",
		`{"env":"prod","dry_run":true,"env":"x"}`:  "duplicate key",
		`{"env":"prod","envv":"x"}`:                "envv: unknown property: known are env",
		`{"env":{"env":"prod"}}`:                   "env: want string, got object",
		`{"env":"prod","еnv":"x"}`:                 `unknown property`,
		`{"arguments":{"env":"prod"},"force":1}`:   "arguments: unknown property",
		`{"env":"prod","a":1,"b":2}`:               "a: unknown property: known are env; b: unknown property",
		`{"env":"prod","dry_run":true,"reason":1}`: "dry_run: unknown property",
	} {
		res, err := kit.Call(t.Context(), &tool.Call{Name: "deploy", Args: json.RawMessage(args)})
		if err != nil || res.Err == nil || !strings.Contains(res.Text(), want) {
			t.Errorf("%s: %s, %v, want %s", args, res.Text(), err, want)
		}
	}
	res, err := kit.Call(t.Context(), &tool.Call{Name: "deployed", Args: json.RawMessage(`{"env":"prod","deep":true}`)})
	if want := "[ignored: \"deep\" is no parameter of deployed]\n" + ran + `{"env":"prod"}`; err != nil || res.Text() != want {
		t.Errorf("%s, %v, want %s", res.Text(), err, want)
	}
	res, err = kit.Call(t.Context(), &tool.Call{Name: "deployed", Args: json.RawMessage(`{"env":"prod","how deep.":1}`)})
	if want := "[ignored: \"how deep.\" is no parameter of deployed]\n"; err != nil || !strings.HasPrefix(res.Text(), want) {
		t.Errorf("%s, %v, want %s", res.Text(), err, want)
	}
}

// Arguments under the name of another tool are meant for that one: they are not run here, and not ignored.
func TestArgumentsBesideTheNameOfAnotherToolAreRefused(t *testing.T) {
	kit := everyTool(t)
	for _, c := range []struct {
		tool, name, args string
		mine             bool
	}{
		{"write", "write", `{"file_path":"f","contents":"x"}`, true},
		{"write", "Write", `{"file_path":"f","contents":"x"}`, true},
		{"write", "functions.write", `{"file_path":"f","contents":"x"}`, true},
		{"write", "mcp__tools__write", `{"file_path":"f","contents":"x"}`, true},
		{"write", "read", `{"file_path":"f","contents":"x"}`, false},
		{"edit", "multi_edit", `{"file_path":"f","old_string":"a","new_string":"b"}`, false},
		{"ls", "bash", `{"path":"."}`, false},
		{"ls", "LS", `{"path":"."}`, true},
		{"deploy", "deployed", `{"env":"prod"}`, false},
		{"mcp__far__MCP_takes_no_more", "mcp__far__MCP_takes_no_more", `{"city":"x"}`, true},
		{"mcp__far__MCP_takes_no_more", "takes_more", `{"city":"x"}`, false},
	} {
		c.tool = strings.ReplaceAll(c.tool, "MCP", string(tool.MCP))
		c.name = strings.ReplaceAll(c.name, "MCP", string(tool.MCP))
		args := fmt.Sprintf(`{"name":%q,"arguments":%s}`, c.name, c.args)
		res, err := kit.Call(t.Context(), &tool.Call{Name: c.tool, Args: json.RawMessage(args)})
		if err != nil {
			t.Fatal(err)
		}
		refused := res.Err != nil && strings.Contains(res.Text(), fmt.Sprintf("%q is not the name of this tool", c.name))
		if refused == c.mine || c.mine && res.Err != nil {
			t.Errorf("%s %s: %s", c.tool, args, res.Text())
		}
	}
}

// A person who approves sees what was made of the arguments.
func TestRepairsStandInTheQuestion(t *testing.T) {
	reg := &tool.Registry{}
	if err := reg.Add(ownTools()...); err != nil {
		t.Fatal(err)
	}
	var asked []string
	kit := reg.Kit(tool.KitOptions{Policy: policy.AskFirst, Ask: func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		asked = q.Repairs
		return tool.Answer{}, nil
	}})
	res, err := kit.Call(t.Context(), &tool.Call{Name: "deploy", Args: json.RawMessage(`{"ENV":'prod',}`)})
	if err != nil || res.Err == nil || !slices.Contains(asked, `env: given as "ENV"`) || !slices.Equal(asked, res.Repairs) {
		t.Errorf("asked with %q, told %q, %v", asked, res.Repairs, err)
	}
}
