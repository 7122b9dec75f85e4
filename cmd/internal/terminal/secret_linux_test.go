package terminal_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helve/cmd/internal/terminal"
	"helve/internal/testing/ptytest"
)

// secretVar has the test binary ask for a secret, instead of running tests.
const secretVar = "HELVE_TEST_SECRET"

// A slowWriter takes its time after each text: whoever reads it may answer before the next step.
type slowWriter struct{ to io.Writer }

func (w slowWriter) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	time.Sleep(200 * time.Millisecond)
	return n, err
}

// askSecret asks for a secret and writes down what came.
func askSecret() int {
	t := terminal.Terminal{In: os.Stdin, Out: slowWriter{os.Stderr}, Environ: os.Environ()}
	secret, err := t.Secret(context.Background(), "The key: ")
	if os.WriteFile(os.Getenv("HELVE_TEST_OUT"), fmt.Appendf(nil, "%q %v", secret, err), 0o600) != nil {
		return 2
	}
	return 0
}

// A secret that is typed, or pasted, before the program comes to reading it is read, and not shown.
func TestASecretIsReadAndNotShown(t *testing.T) {
	for _, x := range []struct{ name, keys, want string }{
		{"a return", "tops3cret\r", `"tops3cret" <nil>`},
		{"a line feed", "tops3cret\n", `"tops3cret" <nil>`},
		{"one that was mended", "topX\x7fs3cret\r", `"tops3cret" <nil>`},
		{"outside ASCII", "schlüssel-鍵\r", `"schlüssel-鍵" <nil>`},
		{"Ctrl-C", "tops3\x03", `"" context canceled`},
		{"Ctrl-D", "\x04", `"" <nil>`},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "out")
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), secretVar+"=1", "HELVE_TEST_OUT="+out)
			term := ptytest.Start(t, cmd, 80)
			term.See("The key:")
			term.Press(x.keys)
			if status := term.Ended(); status != 0 {
				t.Fatalf("status %d: %s", status, term.Screen())
			}
			if got, err := os.ReadFile(out); err != nil || string(got) != x.want {
				t.Errorf("%v: got %s, want %s", err, got, x.want)
			}
			if raw := term.Raw(); strings.Contains(raw, "top") || strings.Contains(raw, "schl") {
				t.Errorf("shown: %q", raw)
			}
		})
	}
}
