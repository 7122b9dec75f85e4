package upstream

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helve/internal/rpc"
)

// endsConfig is a server in a few lines of shell: start is run before anything, and call for a call, which the command
// answer answers.
func endsConfig(t *testing.T, start, call string) Config {
	t.Helper()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip(err)
	}
	file := filepath.Join(t.TempDir(), "server")
	text := start + `
answer() { echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"answered"}]}}'; }
while read -r line; do
  id=${line##*\"id\":}; id=${id%%[,\}]*}
  case $line in
  *'"method":"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}}';;
  *'"method":"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}}';;
  *'"method":"tools/call"'*) ` + call + `;;
  *'"id"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"no such method"}}';;
  esac
done
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Config{Name: "srv", Command: "/bin/sh", Args: []string{file}, StartTimeout: ample, Timeout: ample}
}

// A call that cannot have gone out, as its server reads no more, is made once the server was started again.
func TestACallThatDidNotGoOutIsMadeOverTheNextConnection(t *testing.T) {
	s := newSource(t, endsConfig(t, "", "exec 0</dev/null; answer; sleep 300"), Options{})
	k := attached(t, s)
	for i := range 3 {
		if text := say1(t, k, "x").Text(); text != "answered" {
			t.Errorf("call %d: %s", i, text)
		}
	}
}

// A message that a server which has ended does not take did not go out, also where the end of the connection has given
// the sending up already: whoever sent it may send it again.
func TestWhatAnEndedServerDoesNotTakeWasNotSent(t *testing.T) {
	p, err := openStdio(plainLauncher{}, Command{Argv: []string{"/bin/sh", "-c", "exec 0</dev/null; echo ready; exec sleep 300"}}, io.Discard)
	if err != nil {
		t.Skip(err)
	}
	defer p.close()
	if line, err := p.out.Next(); err != nil || string(line) != "ready" {
		t.Fatalf("%s, %v", line, err)
	}
	m := &rpc.Message{Method: "ping"}
	if err := p.Send(t.Context(), m); !errors.Is(err, rpc.ErrUnsent) {
		t.Errorf("to one that reads no more: %v", err)
	}
	over, end := context.WithCancel(t.Context())
	end()
	if err := p.Send(over, m); !errors.Is(err, rpc.ErrUnsent) {
		t.Errorf("over a connection that has ended: %v", err)
	}
}

// A server that answers its call and ends is there for the next call, however often: only one that ends before it was
// of use rests.
func TestAServerThatAnswersAndEndsDoesNotRest(t *testing.T) {
	s := newSource(t, endsConfig(t, "", "answer; exit 1"), Options{})
	s.calls.dialer.pause = func(n int) time.Duration { return 1000 * pause(n) } // it would rest for longer than the test takes
	k := attached(t, s)
	for i := range 4 {
		if text := say1(t, k, "x").Text(); text != "answered" {
			t.Errorf("call %d: %s", i, text)
		}
		soon(t, "it ends", func() bool { up, _ := s.Up(); return !up })
	}
}

// What ends a server while it starts again may be over a moment later: the call waits for that.
func TestACallOutlivesARestartThatFails(t *testing.T) {
	once := filepath.Join(t.TempDir(), "once")
	s := newSource(t, endsConfig(t, `if [ -e "`+once+`" ]; then rm "`+once+`"; kill -9 $$; fi`, "answer; exit 1"), Options{})
	k := attached(t, s)
	if text := say1(t, k, "x").Text(); text != "answered" {
		t.Fatal(text)
	}
	soon(t, "it ends", func() bool { up, _ := s.Up(); return !up })
	if err := os.WriteFile(once, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if text := say1(t, k, "x").Text(); text != "answered" {
		t.Error(text)
	}
	if _, err := os.Stat(once); err == nil {
		t.Error("no start has failed")
	}
}

// A server that never was there is not tried for long: its call says why at once.
func TestAServerThatNeverCameIsToldOfAtOnce(t *testing.T) {
	starts := filepath.Join(t.TempDir(), "starts")
	s := newSource(t, endsConfig(t, `echo x >>"`+starts+`"; echo no disk >&2; exit 1`, "answer"), Options{})
	_, err := s.Request(t.Context(), nil, "resources/list", nil)
	if err == nil || !strings.Contains(err.Error(), "no disk") {
		t.Errorf("%v", err)
	}
	if b, _ := os.ReadFile(starts); len(b) == 0 || len(b) > 4 { // in each of two ways
		t.Errorf("it was started %d times", len(b)/2)
	}
}
