package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helve/internal/testing/ptytest"
	"helve/internal/testing/wiretest"
)

// sessionBus is a bus that starts nothing by itself: who asks before the keyring is there is told that none is.
const sessionBus = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:dir=HOME</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`

// secretService starts a bus with the keyring of GNOME, unlocked, and is the variables that have programs find it.
func secretService(t *testing.T) []string {
	t.Helper()
	for _, name := range []string{"dbus-daemon", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(name + " is not installed")
		}
	}
	home := t.TempDir()
	env := []string{"HOME=" + home, "XDG_RUNTIME_DIR=" + home, "PATH=" + os.Getenv("PATH")}
	start := func(in string, name string, args ...string) io.Reader {
		ctx, stop := context.WithCancel(context.Background())
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Env, cmd.Stdin = env, strings.NewReader(in)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			stop()
			_ = cmd.Wait()
		})
		return out
	}
	config := filepath.Join(home, "bus.conf")
	if err := os.WriteFile(config, []byte(strings.ReplaceAll(sessionBus, "HOME", home)), 0o600); err != nil {
		t.Fatal(err)
	}
	bus := start("", "dbus-daemon", "--config-file="+config, "--nofork", "--nopidfile", "--print-address")
	address, err := bufio.NewReader(bus).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	env = append(env, "DBUS_SESSION_BUS_ADDRESS="+strings.TrimSpace(address))
	start("secret", "gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets", "--control-directory="+filepath.Join(home, "control"))
	return env[3:]
}

// The keyring of a Linux desktop keeps a key: typed at a terminal, where it is not shown, or brought by standard input.
// A run asks its model with it, and neither the conversation nor anything that is printed has it.
func TestTheKeyringOfTheSystemKeepsAKey(t *testing.T) {
	const key = "key-of-the-keyring-123"
	d := newRunDesk(t, wiretest.Turn{Text: "My key is " + key}, wiretest.Turn{Text: "And this one too."})
	d.env = append(d.env, secretService(t)...)
	d.env = append(d.env, "OPENAI_BASE_URL="+d.srv.URL)
	helve := func(input string, args ...string) (string, error) {
		ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
		defer stop()
		cmd := exec.CommandContext(ctx, d.bin, args...)
		cmd.Dir, cmd.Env, cmd.Stdin = d.dir, d.env, strings.NewReader(input)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	var out string
	var err error
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) { // until the keyring is on the bus
		if out, err = helve(key+"\n", "models", "key", "set", "openai"); err == nil || time.Now().After(end) {
			break
		}
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := helve("", "run", "Tell it.", "--model", "openai/test"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err = helve("", "conversations", "show", d.conversations()[0].ID)
	if err != nil || strings.Contains(out, key) || !strings.Contains(out, "My key is") {
		t.Errorf("%v: what is kept: %s", err, out)
	}
	if out, err := helve("", "models", "key", "rm", "openai"); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := helve("", "models", "key", "rm", "openai"); err == nil || !strings.Contains(out, "the keyring has no key of openai") {
		t.Errorf("%v: %s", err, out)
	}

	cmd := exec.Command(d.bin, "models", "key", "set", "openai")
	cmd.Dir, cmd.Env = d.dir, d.env
	term := ptytest.Start(t, cmd, 80)
	term.See("The key of openai:")
	term.Press(key + "\r")
	if status := term.Ended(); status != 0 || strings.Contains(term.Raw(), key) {
		t.Errorf("status %d, shown %q", status, term.Raw())
	}
	if out, err := helve("", "run", "Again.", "--model", "openai/test"); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
