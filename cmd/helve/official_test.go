package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// An officialClient is the official client for TypeScript, of the session protocol or the stateless one, in the hands of
// a newcomer.
type officialClient struct {
	newcomer
	npm   string // the folder that scripts/npm-tools filled
	which string // sdk: of the session protocol; client: of the stateless one
}

// patience bounds what a client does from its start to its end, on a busy machine.
const patience = 2 * time.Minute

// officially runs a test with the official clients of both protocols.
func officially(t *testing.T, test func(t *testing.T, c officialClient)) {
	t.Helper()
	npm := os.Getenv("HELVE_NPM")
	if npm == "" {
		t.Skip("HELVE_NPM names no folder filled by scripts/npm-tools")
	}
	for _, which := range []string{"sdk", "client"} {
		t.Run(which, func(t *testing.T) {
			t.Parallel() // the clients wait most of the time
			c := officialClient{newcomer{t, t.TempDir(), t.TempDir()}, npm, which}
			if _, err := os.Stat(filepath.Join(c.modules(), "@modelcontextprotocol", which)); err != nil {
				t.Skip(err)
			}
			c.helve("version") // makes the link
			test(t, c)
		})
	}
}

// modules is the folder of the official packages.
func (c officialClient) modules() string { return filepath.Join(c.npm, "next", "node_modules") }

// program is helve, as the client starts it.
func (c officialClient) program() string { return filepath.Join(c.home, "helve") }

// node is the words that run a script: one of npm's, or of testdata/sdk with the official packages.
func (c officialClient) node(script string, words ...string) []string {
	if !filepath.IsAbs(script) {
		here, err := filepath.Abs(filepath.Join("testdata", "sdk", script))
		if err != nil {
			c.t.Fatal(err)
		}
		script, words = here, append([]string{c.modules()}, words...)
	}
	return append([]string{filepath.Join(c.npm, "node_modules", ".bin", "node"), script}, words...)
}

// script is the client with a script of testdata/sdk. It is ended when the test's patience is.
func (c officialClient) script(name string, words ...string) *exec.Cmd {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	c.t.Cleanup(cancel)
	line := c.node(name, append([]string{c.which}, words...)...)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Env = []string{"HOME=" + c.home, "PATH=" + os.Getenv("PATH")}
	return cmd
}

// sees runs a script to its end, and decodes what it printed.
func (c officialClient) sees(seen any, name string, words ...string) {
	c.t.Helper()
	cmd := c.script(name, words...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		c.t.Fatalf("%v: %s%s", err, out, &said)
	}
	if err := json.Unmarshal(out, seen); err != nil {
		c.t.Fatalf("%v: %s", err, out)
	}
}

// put makes or replaces a file of the workspace at once: whoever looks sees one change.
func (c officialClient) put(name, text string) {
	c.t.Helper()
	made := filepath.Join(c.home, "made")
	if err := os.WriteFile(made, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
	if err := os.Rename(made, filepath.Join(c.dir, name)); err != nil {
		c.t.Fatal(err)
	}
}

// The official clients, of both protocols, wait for a command that says nothing for longer than they wait for a server
// that says nothing: they are told that it runs, by a number that rises.
func TestTheOfficialClientsWaitForAQuietCommand(t *testing.T) {
	officially(t, func(t *testing.T, c officialClient) {
		var seen struct {
			Tools         int
			Skills, Tasks any
			Text          string
			Progress      []float64
		}
		c.sees(&seen, "client.mjs", c.program(), c.dir)
		if seen.Tools < 16 || seen.Text != "slept" || seen.Skills == nil {
			t.Errorf("%+v", seen)
		}
		if (c.which == "client") != (seen.Tasks != nil) {
			t.Errorf("tasks: %v", seen.Tasks)
		}
		if len(seen.Progress) < 3 || !slices.IsSorted(seen.Progress) || seen.Progress[0] == seen.Progress[len(seen.Progress)-1] {
			t.Errorf("progress %v", seen.Progress)
		}
	})
}

// The official clients that follow the workspace are told of each change in it once, and of none in a file that its
// ignore files name.
func TestTheOfficialClientsHearOfChangesInTheWorkspace(t *testing.T) {
	const whole, ignored = "workspace:///", "workspace:///noise.log"
	officially(t, func(t *testing.T, c officialClient) {
		c.put(".ignore", "*.log\n")
		c.put("kept.txt", "one")
		c.put("noise.log", "one")
		cmd := c.script("follow.mjs", c.program(), c.dir, whole, ignored)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		lines := bufio.NewScanner(out)
		hears := func(after, want string) {
			t.Helper()
			if !lines.Scan() || lines.Text() != want {
				cmd.Process.Kill()
				cmd.Wait() // then it has said all
				t.Fatalf("after %s it hears %q, want %q; %s", after, lines.Text(), want, &said)
			}
		}
		hears("its start", "following")
		// The file is followed by itself: that it is told of shows that somebody looked, and saw no change of the whole.
		c.put("noise.log", "two")
		hears("a change of what is ignored", ignored)
		c.put("kept.txt", "two")
		hears("a change", whole)
		c.put("new.txt", "new")
		hears("a new file", whole)
		if err := os.Remove(filepath.Join(c.dir, "kept.txt")); err != nil {
			t.Fatal(err)
		}
		hears("a file that went", whole)
		in.Close()
		if lines.Scan() {
			t.Errorf("it hears %q, and nothing happened", lines.Text())
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, &said)
		}
	})
}

// What apps.mjs saw.
type shown struct {
	Tools      map[string]map[string]any
	Interfaces map[string]any    // by address
	Told       map[string]string // what the tools of told.mjs say, by name
	Greeting   string            // what its method answers, or the code of the error
}

// serves configures a server that is trusted, in the newcomer's home.
func (c officialClient) serves(name string, line []string) {
	c.t.Helper()
	spec, err := json.Marshal(map[string]any{
		"command":       line[0],
		"args":          line[1:],
		"trust":         true,
		"start_timeout": "60s",
	})
	if err != nil {
		c.t.Fatal(err)
	}
	if out, code := c.helve("config", "set", "-g", "mcp_servers."+name, string(spec)); code != 0 {
		c.t.Fatal(out)
	}
}

// The user interfaces of a server of npm reach the official clients as they are without helve. Servers of both protocols
// are told that the client shows some, if it does, and then its requests by a method of theirs are passed to them.
func TestUserInterfacesOfServersReachTheOfficialClients(t *testing.T) {
	officially(t, func(t *testing.T, c officialClient) {
		bin := filepath.Join(c.npm, "apps", "node_modules", ".bin", "mcp-server-basic-vanillajs")
		script, err := filepath.EvalSymlinks(bin)
		if err != nil {
			t.Skip(err)
		}
		clock := c.node(script, "--stdio")
		c.serves("clock", clock)
		c.serves("session", c.node("told.mjs", "sdk"))
		c.serves("stateless", c.node("told.mjs", "server"))
		// On a busy machine three servers take longer than the first list waits for what it has never heard of.
		if out, code := c.helve("config", "set", "-g", "client_profiles.patient", `{"info":["*"],"list_wait":"60s"}`); code != 0 {
			t.Fatal(out)
		}
		var alone, shows, plain shown
		c.sees(&alone, "apps.mjs", append([]string{"ui"}, clock...)...)
		c.sees(&shows, "apps.mjs", "ui", c.program(), "serve", "-C", c.dir)
		c.sees(&plain, "apps.mjs", "plain", c.program(), "serve", "-C", c.dir)

		const uri = "ui://get-time/mcp-app.html"
		want := alone.Interfaces[uri]
		if want == nil || !reflect.DeepEqual(shows.Interfaces, alone.Interfaces) {
			t.Errorf("interfaces: %.300v\nwithout helve: %.300v", shows.Interfaces[uri], want)
		}
		// As values: the client puts the members of a schema in an order of its own, another one for each protocol.
		const name, own = "mcp__clock__get-time", "get-time"
		def := shows.Tools[name]
		if def == nil {
			t.Fatalf("no tool %s", name)
		}
		def["name"] = own
		if !reflect.DeepEqual(def, alone.Tools[own]) {
			t.Errorf("%s: %v\nwithout helve: %v", name, def, alone.Tools[own])
		}
		const showing = `{"mimeTypes":["text/html;profile=mcp-app"]}`
		for _, server := range []string{"mcp__session__told", "mcp__stateless__told"} {
			if shows.Told[server] != showing || plain.Told[server] != "null" {
				const format = "%s was told %q by a client that shows interfaces, %q by one that does not"
				t.Errorf(format, server, shows.Told[server], plain.Told[server])
			}
		}
		if shows.Greeting != "Hello Ada" || plain.Greeting != "-32601" {
			t.Errorf("a method of the servers: %q, without the extension %q", shows.Greeting, plain.Greeting)
		}
	})
}
