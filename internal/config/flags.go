package config

import (
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"helve/internal/json"
)

// maxFlag bounds --tools: some hundred tools by name fit.
const maxFlag = 64 << 10

// Flags are what the command line says. They count as the person's own word.
type Flags struct {
	Tools         string   // --tools, a JSON object; "" if it is not given, or given empty (see HasTools)
	HasTools      bool     // --tools was given
	DisabledTools []string // --disabled-tools, see ParseList; nil: not given
	Mode, Profile string   // "" if not given
}

// A ToolsError is a --tools that cannot be. Its text is three lines, to be printed as they are.
type ToolsError struct{ Reason string }

func (e *ToolsError) Error() string {
	return "Error: Invalid --tools parameter\n  " + e.Reason + "\n  Example: --tools '{\"write\":false,\"bash\":false}'"
}

// ParseList splits a comma-separated list; names are trimmed, blanks dropped. The result is never
// nil.
func ParseList(s string) []string {
	out := []string{}
	for name := range strings.SplitSeq(s, ",") {
		if name = strings.TrimSpace(name); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// ParseTools reads the value of --tools. The error is a *ToolsError.
func ParseTools(s string) (map[string]Setting, error) {
	n, err := new(places).parseTools(s, Place{Layer: "flags"})
	if err != nil {
		return nil, err
	}
	out := make(map[string]Setting, len(n.Kids))
	for i := range n.Kids {
		f := &n.Kids[i]
		out[f.Name], _ = settingOf(f)
	}
	return out, nil
}

// parseTools refuses a word that no setting is: a tool that somebody meant to switch off would stay
// on.
func (p *places) parseTools(s string, at Place) (json.Node, error) {
	n, err := p.strictObject(s, at)
	if err != nil {
		return n, &ToolsError{err.Error()}
	}
	for i := range n.Kids {
		f := &n.Kids[i]
		if _, ok := settingOf(f); ok {
			continue
		}
		name, got := shorten(f.Name), shorten(plainValue(f))
		return n, &ToolsError{fmt.Sprintf("tool %q must be true or false, got: %s", name, got)}
	}
	return n, nil
}

// plainValue is a string as it is, else compact JSON.
func plainValue(n *json.Node) string {
	if n.IsString() {
		return n.Text
	}
	return n.String()
}

var errNoObject = errors.New(`must be a JSON object like {"write":false}`)

// strictObject reads JSON without comments.
func (p *places) strictObject(s string, at Place) (json.Node, error) {
	var none json.Node
	if len(s) > maxFlag {
		return none, fmt.Errorf("must be valid JSON: it is %d bytes long, at most %d are read", len(s), maxFlag)
	}
	if err := nested([]byte(s)); err != nil {
		return none, fmt.Errorf("must be valid JSON: %w", err)
	}
	if err := validJSON(s); err != nil {
		return none, fmt.Errorf("must be valid JSON: %w", err)
	}
	if !strings.HasPrefix(strings.TrimLeft(s, " \t\r\n"), "{") {
		return none, errNoObject
	}
	n, err := p.parseJSON([]byte(s), at)
	if err != nil {
		return none, fmt.Errorf("must be valid JSON: %s", strings.TrimPrefix(err.Error(), at.Layer+": "))
	}
	return n, nil
}

// validJSON says in the standard library's words, which people know, what is wrong with a value.
func validJSON(s string) error {
	if strings.TrimSpace(s) == "" {
		return errors.New("it is empty")
	}
	d := stdjson.NewDecoder(strings.NewReader(s))
	var value stdjson.RawMessage
	err := d.Decode(&value)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("unexpected end of JSON input")
	}
	if err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("something follows the value at byte %d", d.InputOffset())
	}
	return nil
}

// flagsLayer turns the flags into a layer's tree.
func (p *places) flagsLayer(f Flags) (json.Node, error) {
	at := Place{Layer: "flags"}
	root := json.Node{Kind: json.KindObject, At: p.mark(at)}
	if f.HasTools || f.Tools != "" {
		tools, err := p.parseTools(f.Tools, at)
		if err != nil {
			return root, err
		}
		root.Set("tools", tools)
	}
	if f.DisabledTools != nil {
		disabled := list(&root)
		for _, name := range f.DisabledTools {
			disabled.Kids = append(disabled.Kids, text(name, &root))
		}
		root.Set("disabled_tools", disabled)
	}
	if f.Mode != "" {
		root.Set("mode", text(f.Mode, &root))
	}
	if f.Profile != "" {
		root.Set("profile", text(f.Profile, &root))
	}
	return root, nil
}
