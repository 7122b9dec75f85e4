package app

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/cmd/internal/command"
	"helve/engine/sandbox"
	"helve/internal/testing/shserver"
)

// trying is a server that runs the command line of its call. What it prints is the result; a status is an error.
const trying = `#!/bin/bash
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p')
  case $line in
  *'"method":"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"try","version":"1"}}}';;
  *'"method":"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"sh","inputSchema":{"type":"object"}}]}}';;
  *'"method":"tools/call"'*)
    script=$(printf '%s' "$line" | sed -n 's/.*"script":"\([^"]*\)".*/\1/p')
    out=$(bash -c "$script" 2>&1) && bad=false || bad=true
    out=$(printf '%s' "$out" | tr '"\\\n\t' "'/  ")
    echo '{"jsonrpc":"2.0","id":'$id',"result":{"isError":'$bad',"content":[{"type":"text","text":"'$out'"}]}}';;
  *'"id"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"no such method"}}';;
  esac
done
`

// lightly configures that server with more keys, and returns what its commands came to. In a command no double quotes and
// backslashes can stand.
func (v victim) lightly(more string) func(script string) (ok bool, out string) {
	v.t.Helper()
	r, err := sandbox.Reach(v.t.Context(), sandbox.Options{Level: sandbox.Light, Network: true})
	if err != nil || r.Mechanism != sandbox.Namespaces {
		v.t.Skipf("without namespaces less is kept, as the gaps say: %+v %v", r, err)
	}
	v.put("server", trying)
	script := filepath.Join(v.repo, "server")
	if err := os.Chmod(script, 0o755); err != nil {
		v.t.Fatal(err)
	}
	v.put(userConfig, `{"mcp_servers":{"try":{"command":`+shserver.Quoted(script)+`,"trust":true,"start_timeout":"120s"`+more+`}}}`)
	return func(script string) (bool, string) {
		v.t.Helper()
		code, out, errs := v.run("call", "try/sh", fmt.Sprintf(`{"script":%q}`, script))
		if code != command.ExitOK && code != command.ExitFailed {
			v.t.Fatalf("%s: %d, %q, %q", script, code, out, errs)
		}
		return code == command.ExitOK, out
	}
}

// want runs commands of which some must succeed and the others must not.
func want(t *testing.T, run func(string) (bool, string), succeed bool, scripts ...string) {
	t.Helper()
	for _, s := range scripts {
		if ok, out := run(s); ok != succeed {
			t.Errorf("%s: succeeded %v, want %v: %q", s, ok, succeed, out)
		}
	}
}

func TestAServerWorksInTheLightConfinementAndReachesNoSecrets(t *testing.T) {
	v := newVictim(t)
	v.put("~/.ssh/id_rsa", "KEY").put("~/.npmrc", "registry=https://npm.example/\n//npm.example/:_authToken=TOKEN\n")
	v.put("~/.npm/x", "").put("~/.bashrc", "").put("~/notes/n", "NOTE").put("~/.pgpass", "PASS")
	v.put(".git/HEAD", "ref: refs/heads/main\n").put(".git/config", "[core]\n").put(".git/hooks/x", "")
	shared := t.TempDir()
	run := v.lightly("")
	in := func(script string) string {
		return strings.ReplaceAll(strings.ReplaceAll(script, "~/", v.home+"/"), "@", shared)
	}
	want(t, run, true, in("echo x > file && mkdir -p .git/objects && echo x > .git/index"), in("echo x > ~/.npm/y"),
		in("echo x > @/in-common"), in("grep -q NOTE ~/notes/n"), "echo x > /dev/shm/helve-light-$$ && rm /dev/shm/helve-light-$$",
		in("grep -q npm.example ~/.npmrc"), in("ls ~/.config"))
	want(t, run, false, in("cat ~/.ssh/id_rsa"), in("grep TOKEN ~/.npmrc"), in("grep PASS ~/.pgpass"), in("echo x >> ~/.bashrc"),
		in("echo x > ~/new"), in("rm ~/notes/n"), in("mv ~/.npm/x ~/x"), in("cat ~/.config/helve/config.json | grep mcp"),
		in("echo x > ~/.config/helve/y"), in("grep -rs . ~/.local/state/helve"), "echo x >> .git/config", "echo x > .git/hooks/x",
		"mv .git moved", "chmod 4755 file", "umount -l "+v.home+"/.ssh", "kill -0 "+fmt.Sprint(os.Getpid()))
	if _, err := os.Stat(filepath.Join(shared, "in-common")); err != nil {
		t.Error("the temporary directory is not the machine's: ", err)
	}
}

func TestWhatStandsInAServersWordsIsOpenedForIt(t *testing.T) {
	v := newVictim(t)
	v.put("~/data/db", "x").put("~/.kube/config", "KUBE").put("~/.kube/cache", "OTHER").put("~/box/f", "").put("~/single", "")
	dir := shserver.Quoted
	run := v.lightly(`,"args":["--db=~/data/db","--box",` + dir(v.home+"/box") + `,"~/single"],"env":{"KUBECONFIG":` + dir(v.home+"/.kube/config") +
		`,"STORE":` + dir(v.home+"/.made/deep/store.json") + `,"HOME_AGAIN":` + dir(v.home) + `,"STATE":` + dir(v.home+"/.local/state/helve/x") + `}`)
	h := v.home
	want(t, run, true, "echo x > "+h+"/data/db-wal", "echo x > "+h+"/box/new", "grep -q KUBE $KUBECONFIG", "echo x > $STORE", "echo x > "+h+"/single")
	want(t, run, false, "grep OTHER "+h+"/.kube/cache", "echo x > $KUBECONFIG", "echo x > "+h+"/new", "mkdir -p $(dirname $STATE) && echo x > $STATE")
}

func TestTheLightConfinementHasTheNetworkUnlessItIsSwitchedOff(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	connect := fmt.Sprintf("exec 3<>/dev/tcp/127.0.0.1/%d", l.Addr().(*net.TCPAddr).Port)
	want(t, newVictim(t).lightly(""), true, connect)
	want(t, newVictim(t).lightly(`,"network":false`), false, connect)
}

func TestTheFirstFailureOfAConfinedServerSaysHowItIsConfined(t *testing.T) {
	v := newVictim(t)
	run := v.lightly("")
	_, out := run("echo x > " + v.home + "/new")
	if !strings.Contains(out, "light confinement") || !strings.Contains(out, "mcp_servers.try.sandbox") {
		t.Errorf("no hint: %q", out)
	}
	if _, out := run("echo no such thing; false"); strings.Contains(out, "confinement") {
		t.Errorf("a hint without a reason: %q", out)
	}
}

func TestNothingOfAConfinedServerStaysWhenItEnds(t *testing.T) {
	v := newVictim(t)
	run := v.lightly("")
	mark := filepath.Join(t.TempDir(), "pid")
	want(t, run, true, "setsid sleep 1000 > /dev/null 2>&1 & echo started > "+mark)
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		cwd, _ := os.Readlink(filepath.Join("/proc", e.Name(), "cwd"))
		if strings.HasPrefix(string(line), "sleep\x001000") && cwd == v.repo {
			t.Errorf("%s is left", e.Name())
		}
	}
	left, err := os.ReadDir(v.repo)
	if err != nil || len(left) != 1 {
		t.Errorf("left in the workspace: %v, %v", left, err)
	}
}

// What servers download has its folder although it was not there, and what they did not use is gone when they end.
func TestAServersCachesAreMadeAndGoWhenTheyStayEmpty(t *testing.T) {
	v := newVictim(t)
	run := v.lightly("")
	h := v.home
	want(t, run, true,
		"mkdir -p "+h+"/.cache/ms-playwright/chromium && echo x > "+h+"/.cache/ms-playwright/chromium/x",
		"echo x > "+h+"/.cache/huggingface/model")
	want(t, run, false, "mkdir "+h+"/.cache/others", "mkdir "+h+"/.new")
	left, err := filepath.Glob(h + "/.cache/*")
	if err != nil || strings.Join(left, " ") != h+"/.cache/helve "+h+"/.cache/huggingface "+h+"/.cache/ms-playwright" {
		t.Errorf("left of the caches: %v, %v", left, err)
	}
}
