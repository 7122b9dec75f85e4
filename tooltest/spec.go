package tooltest

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"helve/engine/schema"
	rawjson "helve/internal/json"
	"helve/tool"
)

// shortMax is how long the one-line description may be, in bytes: it stands in every list and costs tokens at every
// turn.
const shortMax = 200

// checkSpec: registries, policies and approvals keep a spec by its address and its digest.
func checkSpec(t *testing.T, tl tool.Tool) {
	s := tl.Spec()
	again := tl.Spec()
	if !reflect.DeepEqual(s, again) || s.Digest() != again.Digest() {
		t.Error("Spec is not constant")
	}
	checkOrigin(t, s)
	checkDoc(t, s)
	checkSchema(t, s)
}

// checkOrigin: rules are about who made a tool, and what kind it is.
func checkOrigin(t *testing.T, s *tool.Spec) {
	if s.Name == "" || s.Origin.Name == "" || s.Origin.Kind == "" {
		t.Errorf("name %q, origin %+v: a tool needs both", s.Name, s.Origin)
	}
	served := s.Origin.Kind == tool.MCP || s.Origin.Kind == tool.Remote
	if served && s.Origin.Server == "" {
		t.Error("a tool of an MCP server or of a pool does not say which")
	}
	changes := s.Kind == tool.Write || s.Kind == tool.Exec
	if s.ReadOnly && changes && !served { // of a server's tool neither is more than its word
		t.Errorf("read-only and of kind %s", s.Kind)
	}
}

// checkDoc is as strict as the origin allows: what servers and discovery commands describe badly is still a tool.
func checkDoc(t *testing.T, s *tool.Spec) {
	own := s.Origin.Kind == tool.Builtin || s.Origin.Kind == tool.Go
	short := s.Doc.Short
	if short == "" && own {
		t.Error("no short description")
	}
	long := len(short) > shortMax && s.Origin.Kind == tool.Builtin
	if long || strings.Contains(short, "\n") {
		t.Errorf("the short description is not one line of at most %d bytes: %q", shortMax, short)
	}
	full := s.Doc.Full()
	if bad := strings.IndexFunc(full, hidden); bad >= 0 || !utf8.ValidString(full) {
		t.Errorf("the description holds a hidden or broken character at byte %d", bad)
	}
	for _, e := range s.Doc.Examples {
		_, err := s.Input.Check(e.Args)
		if err != nil {
			t.Errorf("example %q: %v", e.Description, err)
		}
	}
}

// hidden are control, format and private characters, with which a description says to the model what a person does not
// see.
func hidden(r rune) bool {
	return r == '\r' || rawjson.Hidden(r)
}

// checkSchema: every provider wants the schema of an object, and what it is sent is written and read again on the way.
func checkSchema(t *testing.T, s *tool.Spec) {
	if s.Input == nil {
		t.Error("no input schema")
		return
	}
	var head struct {
		Type string `json:"type"`
	}
	text := s.Input.JSON()
	err := json.Unmarshal(text, &head)
	if err != nil || head.Type != "object" {
		t.Errorf("the input schema is of type %q, want object (%v)", head.Type, err)
	}
	again, err := schema.Parse(text)
	if err != nil || again.Digest() != s.Input.Digest() {
		t.Errorf("the input schema does not survive its own JSON: %v", err)
	}
	if s.Origin.Kind != tool.Builtin {
		return
	}
	for _, p := range s.Input.Properties() { // a model knows of a parameter what stands here, and no more
		if p.Description == "" {
			t.Errorf("parameter %s has no description", p.Name)
		}
	}
}
