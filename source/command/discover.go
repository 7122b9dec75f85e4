package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	rawjson "helve/internal/json"
	"helve/internal/spawn"
	"helve/source/internal/foreign"
	"helve/tool"
)

// Tools runs the discovery command and understands what it prints. The first
// listing takes a discovery that is remembered and not older than the TTL
// instead; each later one runs the command again. Without a command there is
// nothing, and no error.
func (s *Source) Tools(ctx context.Context) ([]tool.Tool, error) {
	if s.cfg.Discover == "" {
		return nil, nil
	}
	argv, err := words(s.cfg.Discover, s.home())
	if err != nil {
		return nil, err
	}
	call, err := words(s.cfg.Call, s.home())
	if s.cfg.Call != "" && err != nil {
		return nil, err
	}
	s.mu.Lock()
	first := !s.asked
	s.asked = true
	s.mu.Unlock()
	if out := s.remembered(); first && !s.o.Fresh && out != nil {
		return s.tools(out, call)
	}
	if first && !s.o.Fresh {
		most, err := s.away(ctx)
		if err != nil {
			return nil, err
		}
		if most > 0 {
			var stop func()
			ctx, stop = context.WithTimeout(ctx, most)
			defer stop()
		}
	}
	return s.noted(ctx, argv, call)
}

// listed runs the command, understands what it prints and remembers it.
func (s *Source) listed(ctx context.Context, argv, call []string) ([]tool.Tool, error) {
	out, err := s.discover(ctx, argv)
	if err != nil {
		return nil, err
	}
	tools, err := s.tools(out, call)
	if err == nil {
		s.remember(out)
	}
	return tools, err
}

// discover runs the command, in the sandbox's read-only level, and returns what
// it printed.
func (s *Source) discover(ctx context.Context, argv []string) ([]byte, error) {
	run, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	o, err := s.o.Runner.Run(run, s.process(argv, argv, nil, ReadOnly))
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("tool discovery: %s: %w", argv[0], ctx.Err())
	case run.Err() != nil:
		return nil, fmt.Errorf(
			"tool discovery: %s: timed out after %v%s",
			argv[0],
			s.cfg.Timeout,
			saying(o),
		)
	case err != nil:
		return nil, fmt.Errorf("tool discovery: %w", err)
	case o.Exceeded != "":
		return nil, fmt.Errorf(
			"tool discovery: %s: more than %d bytes on %s",
			argv[0],
			bound(o.Exceeded),
			o.Exceeded,
		)
	case o.Lost != nil:
		return nil, fmt.Errorf("tool discovery: %s: what it printed could not be kept: %w", argv[0], o.Lost)
	case o.Signal != "":
		return nil, fmt.Errorf("tool discovery: %s: ended by %s%s", argv[0], o.Signal, saying(o))
	case o.Code != 0:
		return nil, fmt.Errorf("tool discovery: %s: exit status %d%s%s", argv[0], o.Code, saying(o), hint(o))
	}
	return o.Stdout, nil
}

func bound(stream string) int {
	if stream == "stderr" {
		return MaxStderr
	}
	return MaxStdout
}

func (s *Source) process(argv, named []string, stdin []byte, level Level) Process {
	return Process{
		Argv:      argv,
		Named:     named,
		Dir:       s.cfg.Dir,
		Env:       spawn.Environ(s.o.Environ, nil),
		Stdin:     stdin,
		MaxStdout: MaxStdout,
		MaxStderr: MaxStderr,
		Level:     level,
	}
}

// maxSaid is how much of stderr's end is in an error.
const maxSaid = 1000

// saying is the end of what a command said on stderr.
func saying(o *Outcome) string {
	if o == nil {
		return ""
	}
	said := o.Stderr[max(0, len(o.Stderr)-maxSaid):]
	text, _ := rawjson.Visible(strings.ToValidUTF8(strings.TrimSpace(string(said)), ""))
	if text == "" {
		return ""
	}
	return ": " + text
}

// hint is a line that says what to do about a failure, if anything is known.
func hint(o *Outcome) string {
	if o.Hint == "" {
		return ""
	}
	return "\nhint: " + o.Hint
}

// tools understands what was printed.
func (s *Source) tools(out []byte, call []string) ([]tool.Tool, error) {
	out = []byte(
		strings.ToValidUTF8(strings.TrimSpace(strings.TrimPrefix(string(out), "\ufeff")), "\ufffd"),
	)
	items, err := rawjson.Array(out)
	if err != nil {
		if rawjson.Valid(out) {
			return nil, errors.New("tool discovery must return JSON array")
		}
		return nil, fmt.Errorf("tool discovery: what the command printed is %w: %.80q", err, out)
	}
	var tools []tool.Tool
	seen := map[string]bool{}
	decls, odd := declarations(items)
	nameless := 0
	defer func() {
		s.left(odd, nameless)
		s.undescribed(tools)
	}()
	for _, decl := range decls {
		t, err := s.tool(decl, call)
		switch {
		case errors.Is(err, errNoName):
			nameless++ // told of once, however many there are
			continue
		case err != nil:
			s.warn(err.Error())
			continue
		case seen[t.spec.Name]:
			s.warn("discovered twice, the first stays", "tool", t.spec.Name)
			continue
		case len(tools) >= MaxTools:
			s.warn("too many tools discovered, the rest is left out", "taken", MaxTools)
			return tools, nil
		}
		seen[t.spec.Name] = true
		tools = append(tools, t)
	}
	return tools, nil
}

// maxUndescribed is how many tools a warning names: enough to find the place where they are declared.
const maxUndescribed = 5

// undescribed tells of tools without a description, once for all of them: a model that is told nothing of a tool
// does not call it, or calls it for something else.
func (s *Source) undescribed(tools []tool.Tool) {
	var bare []string
	for _, t := range tools {
		if t.Spec().Doc.Short == "" {
			bare = append(bare, t.Spec().Name)
		}
	}
	switch more := len(bare) - maxUndescribed; {
	case len(bare) == 0:
	case more > 0:
		s.warn(fmt.Sprintf("discovered without a description: %s and %d more", strings.Join(bare[:maxUndescribed], ", "), more))
	default:
		s.warn("discovered without a description: " + strings.Join(bare, ", "))
	}
}

// left tells of what was discovered and is no tool, once for all of a kind.
func (s *Source) left(odd, nameless int) {
	if odd > 0 {
		s.warn(fmt.Sprintf("discovered what is no object (%d of the items), skipping", odd))
	}
	switch {
	case nameless == 1:
		s.warn(errNoName.Error())
	case nameless > 1:
		s.warn(fmt.Sprintf("%v (%d of them)", errNoName, nameless))
	}
}

// declarations collects what the four forms of items hold, and counts what can
// be none: texts, numbers, lists.
func declarations(items []json.RawMessage) (out []json.RawMessage, odd int) {
	for _, item := range items {
		if list, err := rawjson.Array(rawjson.Get(item, "function_declarations")); err == nil {
			out = append(out, list...)
		} else if list, err := rawjson.Array(rawjson.Get(item, "functionDeclarations")); err == nil {
			out = append(out, list...)
		} else if f := rawjson.Get(item, "function"); len(f) > 0 && f[0] == '{' { // as OpenAI has it
			out = append(out, f)
		} else {
			out = append(out, item)
		}
	}
	objects := slices.DeleteFunc(out, func(d json.RawMessage) bool { return d[0] != '{' })
	return objects, len(out) - len(objects)
}

var errNoName = errors.New("discovered a tool with no name, skipping")

// tool understands one declaration. The error is a warning: the other tools stay.
func (s *Source) tool(decl json.RawMessage, call []string) (*discovered, error) {
	name, _ := rawjson.String(rawjson.Get(decl, "name"))
	if name == "" {
		return nil, errNoName
	}
	if err := foreign.CheckName(name); err != nil {
		return nil, fmt.Errorf("discovered: %w, skipping", err)
	}
	if name[0] == '-' {
		return nil, fmt.Errorf(
			"discovered: %q would be read as an option of the call command, skipping",
			name,
		)
	}
	params, odd := parameters(decl)
	in, note, err := foreign.Input(params)
	if err != nil {
		return nil, fmt.Errorf("discovered: %s: %w, skipping", name, err)
	}
	if odd != "" {
		s.warn("discovered: "+odd, "tool", name)
	}
	if note != "" {
		s.warn("discovered: "+note, "tool", name)
	}
	description, ok := rawjson.String(rawjson.Get(decl, "description"))
	if !ok && rawjson.Get(decl, "description") != nil {
		s.warn("discovered: its description is no text: it has none", "tool", name)
	}
	doc, hid := foreign.Doc(description)
	if hid > 0 {
		s.warn("discovered: hidden characters in the description were removed", "tool", name, "count", hid)
	}
	doc.Long = s.explain(doc.Long, name)
	return &discovered{src: s, call: call, spec: &tool.Spec{
		Name: name, Version: "1.0.0", Doc: doc, Input: in, Kind: tool.Exec,
		Origin: tool.Origin{Kind: tool.Command, Name: name},
	}}, nil
}

// schemaKeys are the keys under which declarations have the schema of their parameters: Gemini's two,
// MCP's and Anthropic's. The first that is there is taken.
var schemaKeys = [...]string{"parametersJsonSchema", "parameters", "inputSchema", "input_schema"}

// parameters is the schema of a declaration: the first under a known key that is an object, else what
// stands there, else one of any object. odd says what of it is not taken.
func parameters(decl json.RawMessage) (schema json.RawMessage, odd string) {
	var taken string
	for _, key := range schemaKeys {
		p := rawjson.Get(decl, key)
		isObject := len(p) > 0 && p[0] == '{'
		switch {
		case p == nil || string(p) == "null":
		case taken == "":
			schema, taken = p, key
		case isObject && schema[0] != '{':
			schema, taken, odd = p, key, taken+" is no object: "+key+" is taken"
		default:
			odd = key + " is left out: " + taken + " is taken"
		}
	}
	switch {
	case taken == "":
		schema = json.RawMessage("{}")
	case taken == "parameters" && schema[0] == '{':
		schema = lowerTypes(schema)
	}
	return schema, odd
}

// explain adds how the tool is found and called: at length if that is wanted,
// else one line.
func (s *Source) explain(long, name string) string {
	if long != "" {
		long += "\n\n"
	}
	if !s.cfg.Verbose {
		return long + fmt.Sprintf(
			"(Found by `%s`; runs `%s %s`, result as it prints.)",
			s.cfg.Discover,
			s.cfg.Call,
			name,
		)
	}
	return long + fmt.Sprintf(
		`This tool was discovered from the project by executing the command %[1]s on project root.
When called, this tool will execute the command %[2]s on project root.
Tool discovery and call commands can be configured in project or user settings.

When called, the tool call command is executed as a subprocess.
On success, tool output is returned as a json string.
Otherwise, the following information is returned:

Stdout: Output on stdout stream. Can be %[3]s or partial.
Stderr: Output on stderr stream. Can be %[3]s or partial.
Error: Error or %[4]s if no error was reported for the subprocess.
Exit Code: Exit code or %[4]s if terminated by signal.
Signal: Signal number or %[4]s if no signal was received.`,
		"`"+s.cfg.Discover+"`",
		"`"+s.cfg.Call+" "+name+"`",
		"`(empty)`",
		"`(none)`",
	)
}

// A memory is a discovery on disk.
type memory struct {
	At     time.Time `json:"at"`
	Stdout []byte    `json:"stdout"`
}

func (s *Source) file() string {
	return filepath.Join(s.o.CacheDir, "discovery-"+s.cfg.digest()+".json")
}

// remembered is what the command printed when it last ran with this
// configuration, nil if that is too long ago.
func (s *Source) remembered() []byte {
	if s.o.CacheDir == "" || s.cfg.TTL < 0 {
		return nil
	}
	b, err := os.ReadFile(s.file())
	var m memory
	if err != nil || json.Unmarshal(b, &m) != nil {
		return nil
	}
	if age := s.o.Now().Sub(m.At); age < 0 || age > s.cfg.TTL {
		return nil
	}
	return m.Stdout
}

func (s *Source) remember(out []byte) {
	if s.o.CacheDir == "" || s.cfg.TTL < 0 {
		return
	}
	b, err := json.Marshal(memory{s.o.Now(), out})
	if err == nil {
		_, err = tool.DirStore(s.o.CacheDir).Put(filepath.Base(s.file()), strings.NewReader(string(b)))
	}
	if err != nil {
		s.warn("tool discovery: the result could not be remembered", "error", err)
	}
}
