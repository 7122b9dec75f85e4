package exact

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// lamps have two types with a method of one name, declared in a header and defined apart, and callers whose receivers
// only a compiler knows.
var lamps = map[string]string{
	"include/lamp.h": "#pragma once\nstruct Lamp { void kindle(); };\nstruct Fire { void kindle(); };\n" +
		"template <class T> T &first(T *list) { return list[0]; }\n",
	"src/lamp.cpp": "#include \"lamp.h\"\nvoid Lamp::kindle() {}\n",
	"src/fire.cpp": "#include \"lamp.h\"\nvoid Fire::kindle() {}\n",
	"src/use.cpp": "#include \"lamp.h\"\nextern Lamp lamps[]; extern Fire fires[];\nvoid one() { first(lamps).kindle(); }\n" +
		"void two() { first(fires).kindle(); }\n",
}

func needsClangd(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("clangd"); err != nil {
		t.Skip("clangd is not installed")
	}
}

func TestClangdSettlesWhatNamesLeaveOpen(t *testing.T) {
	needsClangd(t)
	dir, _, x := workspace(t, Options{Notice: failed(t)}, lamps)
	write(t, dir, "build/compile_commands.json", `[{"directory":"`+dir+`/src","file":"use.cpp","command":"c++ -I../include -c use.cpp"}]`)
	eventually(t, x, "Lamp.kindle", "src/use.cpp#one checked")
	eventually(t, x, "Fire.kindle", "src/use.cpp#two checked")
	write(t, dir, "src/use.cpp", strings.Replace(lamps["src/use.cpp"], "extern Fire fires", "extern Lamp fires", 1))
	eventually(t, x, "Lamp.kindle", "src/use.cpp#one checked, src/use.cpp#two checked")
}

func failed(t *testing.T) func(string, error) {
	return func(program string, err error) { t.Errorf("%s: %v", program, err) }
}

// TestClangdKnowsLessWithoutCompileCommands: it finds headers beside a file, and leaves open what other folders have.
func TestClangdKnowsLessWithoutCompileCommands(t *testing.T) {
	needsClangd(t)
	files := map[string]string{}
	for path, text := range lamps {
		files[path] = text
	}
	files["near/oil.h"] = "struct Oil { void pour(); };\nstruct Tar { void pour(); };\ntemplate <class T> T &last(T *list) { return list[0]; }\n"
	files["near/oil.cpp"] = "#include \"oil.h\"\nvoid Oil::pour() {}\nvoid Tar::pour() {}\n"
	files["near/use.cpp"] = "#include \"oil.h\"\nextern Oil oils[];\nvoid three() { last(oils).pour(); }\n"
	_, _, x := workspace(t, Options{Notice: failed(t)}, files)
	eventually(t, x, "Oil.pour", "near/use.cpp#three checked")
	if got := users(t, x, "Lamp.kindle"); got != "src/use.cpp#one ambiguous(2), src/use.cpp#two ambiguous(2)" {
		t.Errorf("of a header that is not found: %s", got)
	}
}

// TestClangdKnowsC: a member of what a macro makes of a pointer, and a function that another file has, too.
func TestClangdKnowsC(t *testing.T) {
	needsClangd(t)
	_, _, x := workspace(t, Options{Notice: failed(t)}, map[string]string{
		"lamp.h": "struct lamp { void (*kindle)(void); };\nstruct fire { void (*kindle)(void); };\n" +
			"#define LAMP(p) (((struct lamp *)(p)))\n#define FIRE(p) (((struct fire *)(p)))\n",
		"use.c": "#include \"lamp.h\"\nvoid one(void *p) { LAMP(p)->kindle(); }\nvoid two(void *p) { FIRE(p)->kindle(); }\n",
	})
	eventually(t, x, "lamp.kindle", "use.c#one checked")
	eventually(t, x, "fire.kindle", "use.c#two checked")
}

// TestACompilerOfTheWorkspaceIsNotStarted: compile_commands.json names the compiler of each file, and clangd asks none.
func TestACompilerOfTheWorkspaceIsNotStarted(t *testing.T) {
	needsClangd(t)
	dir, _, x := workspace(t, Options{Notice: failed(t)}, lamps)
	// A compiler that is asked says where its headers are, and these would have the name.
	write(t, dir, "bin/g++", "#!/bin/sh\nprintf '#include <...> search starts here:\\n %s/include\\nEnd of search list.\\n' "+dir+" >&2\n")
	if err := os.Chmod(filepath.Join(dir, "bin/g++"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, dir, ".clangd", "CompileFlags:\n  Add: [-I"+dir+"/include]\n")
	write(t, dir, "src/compile_commands.json", `[{"directory":"`+dir+`/src","file":"use.cpp","command":"`+dir+`/bin/g++ -c use.cpp"}]`)
	write(t, dir, "src/own.cpp", "struct Oil { void pour(); };\nstruct Tar { void pour(); };\nvoid Oil::pour() {}\nvoid Tar::pour() {}\n"+
		"template <class T> T &last(T *list) { return list[0]; }\nextern Oil oils[];\nvoid three() { last(oils).pour(); }\n")
	eventually(t, x, "Oil.pour", "src/own.cpp#three checked") // it answers
	if got := users(t, x, "Lamp.kindle"); got != "src/use.cpp#one ambiguous(2), src/use.cpp#two ambiguous(2)" {
		t.Errorf("with a compiler and settings of the workspace: %s", got)
	}
}
