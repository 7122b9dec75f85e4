//go:build unix

package exact

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"helve/engine/sandbox"
)

// caller is a server that calls a port of this machine before it answers that it cannot start, and says whether it got
// through.
const caller = `#!%s
said='cut off'
if (exec 3<>/dev/tcp/127.0.0.1/%d) 2>/dev/null; then said='got through'; fi
text='{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"'$said'"}}'
read -r line # it is greeted
printf 'Content-Length: %%d\r\n\r\n%%s' ${#text} "$text"
cat >/dev/null # until it is ended
`

// TestAServerReachesNoNetwork: not even this machine's own.
func TestAServerReachesNoNetwork(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var calls atomic.Int32
	go func() { // until the test ends
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			calls.Add(1)
			c.Close()
		}
	}()
	bin, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf(caller, bash, l.Addr().(*net.TCPAddr).Port)
	program := filepath.Join(bin, "pyright-langserver")
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if out, _ := exec.Command(program).Output(); !strings.Contains(string(out), "got through") {
		t.Skipf("this bash calls nobody outside of the sandbox either: %s", out)
	}
	for end := time.Now().Add(patience); calls.Load() == 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond) // until that call is counted
	}
	before := calls.Load()

	told := &notices{}
	_, _, x := workspace(t, Options{
		Environ: append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH")),
		Sandbox: sandbox.Options{Readable: []string{bin}},
		Notice:  told.add,
	}, gates)
	for end := time.Now().Add(patience); told.text() == "" && time.Now().Before(end); {
		users(t, x, "Gate.unlock")
	}
	if got := told.text(); !strings.Contains(got, errRefused.Error()) {
		t.Errorf("in the sandbox: %q", got)
	}
	if n := calls.Load() - before; n != 0 {
		t.Errorf("%d calls came through", n)
	}
}
