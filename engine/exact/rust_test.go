package exact

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// wicks have two types with a method of one name, and callers whose receivers only a compiler knows.
var wicks = map[string]string{
	"Cargo.toml":  "[package]\nname = \"wicks\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
	"src/lib.rs":  "pub mod lamp;\npub mod fire;\npub mod user;\n",
	"src/lamp.rs": "pub struct Lamp;\nimpl Lamp {\n    pub fn kindle(&self) {}\n}\n",
	"src/fire.rs": "pub struct Fire;\nimpl Fire {\n    pub fn kindle(&self) {}\n}\n",
	"src/user.rs": "pub fn one() { lamps().for_each(|x| x.kindle()) }\npub fn two() { fires().for_each(|x| x.kindle()) }\n",
}

// rustDouble is the name under which this test program takes the place of rust-analyzer.
const rustDouble = "HELVE_TEST_RUST_ANALYZER"

// rustOptions have a PATH in which this program stands under the name of rust-analyzer.
func rustOptions(t *testing.T) Options {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\n" + rustDouble + "=1 exec " + self + "\n"
	if err := os.WriteFile(filepath.Join(bin, "rust-analyzer"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	o := Options{Environ: append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "RUSTUP_TOOLCHAIN=mine"), Notice: failed(t)}
	o.Sandbox.Readable = []string{bin, filepath.Dir(self)}
	return o
}

// TestRustAnalyzerIsSpokenToAsItSpeaks has this program take its place: it sends what rust-analyzer sends while it reads a
// project, and answers with links, which is one of the forms that servers use.
func TestRustAnalyzerIsSpokenToAsItSpeaks(t *testing.T) {
	dir, _, x := workspace(t, rustOptions(t), wicks)
	eventually(t, x, "Lamp.kindle", "src/user.rs#one checked")
	eventually(t, x, "Fire.kindle", "src/user.rs#two checked")
	write(t, dir, "src/user.rs", strings.Replace(wicks["src/user.rs"], "fires", "lamps", 1))
	eventually(t, x, "Lamp.kindle", "src/user.rs#one checked, src/user.rs#two checked")
}

// double answers as rust-analyzer does, and refuses to start where it may run programs of the project.
func double(in *os.File, out *os.File) error {
	r := bufio.NewReaderSize(in, headerBytes)
	say := func(format string, args ...any) { out.Write(frame(fmt.Appendf(nil, format, args...))) }
	texts := map[string]string{}
	busy := true
	for {
		data, err := readFrame(r)
		if err != nil {
			return err
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				InitializationOptions json.RawMessage
				TextDocument          struct{ URI, Text string }
				Position              struct{ Line int }
			}
		}
		if err := json.Unmarshal(data, &m); err != nil {
			return err
		}
		uri := m.Params.TextDocument.URI
		switch m.Method {
		case "initialize":
			if why := mayRun(m.Params.InitializationOptions); why != "" {
				say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":%q}}`, m.ID, why)
				continue
			}
			say(`{"jsonrpc":"2.0","id":%s,"result":{"capabilities":{"definitionProvider":true},"serverInfo":{"name":"rust-analyzer"}}}`, m.ID)
			say(`{"jsonrpc":"2.0","id":0,"method":"window/workDoneProgress/create","params":{"token":"rustAnalyzer/Fetching"}}`)
			say(`{"jsonrpc":"2.0","method":"$/progress","params":{"token":"rustAnalyzer/Fetching","value":{"kind":"begin"}}}`)
			say(`{"jsonrpc":"2.0","id":1,"method":"workspace/configuration","params":{"items":[{"section":"rust-analyzer"}]}}`)
		case "textDocument/didOpen":
			texts[uri] = m.Params.TextDocument.Text
		case "textDocument/didClose":
			delete(texts, uri)
		case "textDocument/definition":
			if busy { // it reads the project: what it would say may be out of date
				busy = false
				say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32801,"message":"content modified"}}`, m.ID)
				continue
			}
			to := "fire"
			if strings.Contains(strings.Split(texts[uri], "\n")[m.Params.Position.Line], "lamps") {
				to = "lamp"
			}
			say(`{"jsonrpc":"2.0","id":%s,"result":[{"originSelectionRange":{"start":{"line":0,"character":0},"end":{"line":0,"character":6}},`+
				`"targetUri":%q,"targetRange":{"start":{"line":2,"character":4},"end":{"line":2,"character":27}},`+
				`"targetSelectionRange":{"start":{"line":2,"character":11},"end":{"line":2,"character":17}}}]}`,
				m.ID, strings.Replace(uri, "user.rs", to+".rs", 1))
		}
	}
}

// mayRun tells what of the way it was started would have rust-analyzer run programs of the project.
func mayRun(options json.RawMessage) string {
	var o struct {
		LinkedProjects []string
		Cargo          struct{ BuildScripts struct{ Enable *bool } }
		ProcMacro      struct{ Enable *bool }
		CheckOnSave    *bool
	}
	if json.Unmarshal(options, &o) != nil {
		return "no options"
	}
	off := func(b *bool) bool { return b != nil && !*b }
	wrapper, set := os.LookupEnv("RUSTC_WRAPPER")
	switch {
	case !off(o.Cargo.BuildScripts.Enable):
		return "build scripts"
	case !off(o.ProcMacro.Enable):
		return "macros"
	case !off(o.CheckOnSave):
		return "checks"
	case !set || wrapper != "" || os.Getenv("RUSTC") != "rustc":
		return "a compiler of the project"
	case os.Getenv("RUSTUP_TOOLCHAIN") != "mine":
		return "a toolchain of the project"
	case os.Getenv("CARGO_NET_OFFLINE") != "true":
		return "the network"
	case len(o.LinkedProjects) != 1 || filepath.Base(o.LinkedProjects[0]) != "Cargo.toml":
		return "projects of its own choice"
	}
	return ""
}

func TestRustProjectsAreTheUppermostManifestsAboveTheFiles(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"a/Cargo.toml", "a/b/Cargo.toml", "c/d/Cargo.toml", "none/rust-project.json"} {
		write(t, dir, path, "")
	}
	files := []string{"a/b/src/x.rs", "a/src/y.rs", "c/d/main.rs", "none/z.rs", "c/w.rs"}
	got, err := prepareRust(dir, nil, slices.Values(files))
	var o struct{ LinkedProjects []string }
	if err := json.Unmarshal([]byte(got.settings), &o); err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(dir, "a/Cargo.toml"), filepath.Join(dir, "c/d/Cargo.toml")}
	if err != nil || !slices.Equal(o.LinkedProjects, want) {
		t.Errorf("%v, %v, want %v", o.LinkedProjects, err, want)
	}
	if _, err := prepareRust(dir, nil, slices.Values([]string{"none/z.rs"})); err != errNoManifest {
		t.Errorf("without Cargo.toml: %v", err)
	}
	write(t, dir, "a/rust-analyzer.toml", "[cargo.buildScripts]\noverrideCommand = [\"./run\"]\n")
	if _, err := prepareRust(dir, nil, slices.Values(files)); err != errDecides {
		t.Errorf("with rust-analyzer.toml: %v", err)
	}
}

func TestTheToolchainIsThePersons(t *testing.T) {
	home := t.TempDir()
	if got := toolchain([]string{"HOME=" + home}); got != nil {
		t.Errorf("without rustup: %q", got)
	}
	write(t, home, ".rustup/settings.toml", "version = \"12\"\ndefault_toolchain = \"stable-x86_64\"\n")
	write(t, home, "other/settings.toml", "default_toolchain = \"beta\"\n")
	for want, environ := range map[string][]string{
		"RUSTUP_TOOLCHAIN=stable-x86_64": {"HOME=" + home},
		"RUSTUP_TOOLCHAIN=beta":          {"HOME=" + home, "RUSTUP_HOME=" + filepath.Join(home, "other")},
		"RUSTUP_TOOLCHAIN=nightly":       {"HOME=" + home, "RUSTUP_TOOLCHAIN=nightly"},
	} {
		if got := toolchain(environ); len(got) != 1 || got[0] != want {
			t.Errorf("%q: %q, want %s", environ, got, want)
		}
	}
}
