package bench

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// asServer has the test binary be the server that costs nothing.
const asServer = "HELVE_BENCH_ANSWER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		Answer(os.Stdin, os.Stdout, 100)
		return
	}
	os.Exit(m.Run())
}

func started(t *testing.T) *Child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), asServer+"=1")
	c, err := Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.End() })
	return c
}

// Calls one by one and calls in flight may follow each other: each answer goes to its own call.
func TestCallsAreAnsweredInTurnAndInFlight(t *testing.T) {
	c := started(t)
	const give = `{"name":"give","arguments":{"a":"x"}}`
	for range 3 {
		line, err := c.Request("tools/call", give)
		if err != nil || !strings.Contains(string(line), "A line of text") {
			t.Fatalf("a call: got %s, %v", line, err)
		}
		if err := c.Flood(give, 100, 16); err != nil {
			t.Fatalf("100 calls in flight: %v", err)
		}
	}
	if _, err := c.Request("tools/none", "{}"); err == nil || !strings.Contains(err.Error(), "method not found") {
		t.Errorf("a method that the server lacks: got %v, want its error", err)
	}
}

// A server that is gone is an error of the call that wanted it, not a wait.
func TestAServerThatIsGoneIsAnError(t *testing.T) {
	c := started(t)
	if state := c.End(); state == nil || !state.Success() {
		t.Errorf("the server ended as %v, want success", state)
	}
	if _, err := c.Request("tools/list", "{}"); err == nil {
		t.Error("a request to a server that ended: no error")
	}
	if err := c.Flood(`{}`, 100, 16); err == nil {
		t.Error("calls to a server that ended: no error")
	}
}

func TestACommandThatIsNoServerIsAnError(t *testing.T) {
	if c, err := Start(exec.Command("go", "version")); err == nil {
		c.End()
		t.Error("go version passed for a server")
	}
}
