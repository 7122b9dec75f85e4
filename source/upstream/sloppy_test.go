package upstream

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"helve/tool"
)

// What a sloppy server answers is read as far as it can be: the call has run.
func TestAnIllFormedResultIsReadAsFarAsItCanBe(t *testing.T) {
	for result, want := range map[string]string{
		`{"content":"plain words"}`:                        "plain words",
		`{"content":[null,{"type":"text","text":"ok"},7]}`: "[a block that is none: null]\nok\n[a block that is none: 7]",
		`{}`: "",
	} {
		k := attached(t, newSource(t, stdioConfig("result:"+temp(t, result)), Options{}))
		if res := say1(t, k, "x"); res.Err != nil || res.Text() != want {
			t.Errorf("%s: %q, %v, want %q", result, res.Text(), res.Err, want)
		}
	}
}

func TestADefinitionThatIsTooLongCostsItsToolOnly(t *testing.T) {
	huge := fmt.Sprintf(`{"name":"huge","description":%q,"inputSchema":{"type":"object"}}`, strings.Repeat("x", maxDefinition))
	s := newSource(t, stdioConfig("good"), Options{})
	got := s.lists.common.tools(&listing{Tools: []json.RawMessage{json.RawMessage(huge), json.RawMessage(echoTool)}, At: time.Now()})
	if len(got) != 1 || got[0].Spec().Name != "echo" || len(s.Findings()) != 1 {
		t.Errorf("%d tools, %v", len(got), s.Findings())
	}
}

// A server that declares nothing at all is asked for its tools; most such servers merely forgot to say so.
func TestAServerThatDeclaresNothingIsAskedForItsTools(t *testing.T) {
	k := attached(t, newSource(t, stdioConfig("undeclared"), Options{}))
	if res := run(t, k, &tool.Call{Name: "mcp__srv__echo", Args: json.RawMessage(`{"text":"x"}`)}); res.Text() != "x" {
		t.Errorf("%q, %v", res.Text(), res.Err)
	}
	k = attached(t, newSource(t, stdioConfig("nothing"), Options{}))
	if n := k.View().Len(); n != 0 {
		t.Errorf("%d tools", n)
	}
}

// null is what several languages make of an empty list.
func TestAListThatIsNullIsEmpty(t *testing.T) {
	for _, mode := range []string{"null", "listless"} {
		s := newSource(t, stdioConfig(mode), Options{})
		k := attached(t, s)
		if n := k.View().Len(); n != 0 || len(s.Findings()) != 0 {
			t.Errorf("%s: %d tools, %v", mode, n, s.Findings())
		}
	}
}

func TestAnEndlessErrorMessageIsCut(t *testing.T) {
	e := &RPCError{Code: 1, Message: strings.Repeat("é", longestWords)}
	if got := e.Error(); len(got) > longestWords+20 || !strings.HasSuffix(got, "… (1)") {
		t.Errorf("%d bytes", len(got))
	}
}

// longestWords is above what of a server's error message is repeated.
const longestWords = 9 << 10
