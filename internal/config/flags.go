package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
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

// A ToolsError is a --tools that cannot be. Its text is the seed's three lines, to be printed as they are (R0.8).
type ToolsError struct{ Reason string }

func (e *ToolsError) Error() string {
	return "Error: Invalid --tools parameter\n  " + e.Reason + "\n  Example: --tools '{\"write\":false,\"bash\":false}'"
}

// ParseList splits a comma-separated list; names are trimmed, blanks dropped. The result is never nil (R3.3).
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
	n, err := parseTools(s, Place{Layer: "flags"})
	if err != nil {
		return nil, err
	}
	out := make(map[string]Setting, len(n.fields))
	for _, f := range n.fields {
		out[f.name], _ = parseSetting(f.val.text)
	}
	return out, nil
}

func parseTools(s string, at Place) (*node, error) {
	n, err := strictObject(s, at)
	if err != nil {
		return nil, &ToolsError{err.Error()}
	}
	for _, f := range n.fields {
		if _, ok := parseSetting(f.val.text); !ok || f.val.kind != scalar {
			return nil, &ToolsError{fmt.Sprintf("tool %q must be true or false, got: %s", shorten(f.name), shorten(plainValue(f.val)))}
		}
	}
	return n, nil
}

// plainValue is a string as it is, else compact JSON (R0.9).
func plainValue(n *node) string {
	if s, ok := n.str(); ok {
		return s
	}
	return string(n.json())
}

var errNoObject = errors.New(`must be a JSON object like {"write":false}`)

// strictObject reads JSON without comments.
func strictObject(s string, at Place) (*node, error) {
	if len(s) > maxFlag {
		return nil, fmt.Errorf("must be valid JSON: it is %d bytes long, at most %d are read", len(s), maxFlag)
	}
	if err := nested([]byte(s)); err != nil {
		return nil, fmt.Errorf("must be valid JSON: %w", err)
	}
	if err := validJSON(s); err != nil {
		return nil, fmt.Errorf("must be valid JSON: %w", err)
	}
	if !strings.HasPrefix(strings.TrimLeft(s, " \t\r\n"), "{") {
		return nil, errNoObject
	}
	n, err := parseJSON([]byte(s), at)
	if err != nil {
		return nil, fmt.Errorf("must be valid JSON: %s", strings.TrimPrefix(err.Error(), at.Layer+": "))
	}
	return n, nil
}

func validJSON(s string) error {
	if strings.TrimSpace(s) == "" {
		return errors.New("it is empty")
	}
	d := json.NewDecoder(bytes.NewReader([]byte(s)))
	var any json.RawMessage
	if err := d.Decode(&any); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return errors.New("unexpected end of JSON input")
		}
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("something follows the value at byte %d", d.InputOffset())
	}
	return nil
}

// layer turns the flags into a layer's tree.
func (f Flags) layer() (*node, error) {
	at := Place{Layer: "flags"}
	root := &node{at: at}
	if f.HasTools || f.Tools != "" {
		tools, err := parseTools(f.Tools, at)
		if err != nil {
			return nil, err
		}
		root.set("tools", tools)
	}
	if f.DisabledTools != nil {
		root.set("disabled_tools", stringList(f.DisabledTools, at))
	}
	for key, word := range map[string]string{"mode": f.Mode, "profile": f.Profile} {
		if word != "" {
			root.set(key, &node{kind: scalar, at: at, text: quote(word)})
		}
	}
	return root, nil
}

func stringList(list []string, at Place) *node {
	n := &node{kind: array, at: at}
	for _, s := range list {
		n.items = append(n.items, &node{kind: scalar, at: at, text: quote(s)})
	}
	return n
}
