package exact

import (
	"errors"
	"iter"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"helve/engine/code"
	"helve/engine/sandbox"
	"helve/internal/resolved"
)

// A server is a program that knows some languages.
type server struct {
	program   string
	args      []string
	languages []code.Language
	env       []string
	protocol  protocol
	settings  string // what it is told when it starts and when it asks for its settings: an object of JSON

	// prepare finds what depends on the workspace, or why the server is not used there. nil: nothing does. files are
	// those of its languages.
	prepare func(root string, environ []string, files iter.Seq[string]) (prepared, error)
}

// prepared is what a server is started with in one workspace.
type prepared struct {
	settings string
	env      []string // before what all workspaces have
}

// protocol is how a server is spoken to.
type protocol int

const (
	lsp      protocol = iota // the Language Server Protocol
	tsserver                 // that of TypeScript's own server, which is older
)

// pyrightAnalysis is how pyright looks at the files that it is asked about.
const pyrightAnalysis = `"diagnosticMode":"openFilesOnly","useLibraryCodeForTypes":true,"autoSearchPaths":true`

// servers are those that are known. Each is told to do nothing that nobody asked for: no checks, no background index,
// no downloads, no programs or plug-ins of the workspace.
func servers() []server {
	return []server{
		{
			program:   "gopls",
			languages: []code.Language{code.Go},
			env: []string{
				"GOPROXY=off", "GOSUMDB=off", "GOTOOLCHAIN=local", "GOFLAGS=-mod=readonly", "GOVCS=*:off",
				"GOMEMLIMIT=1500MiB",
			},
			settings: `{"diagnosticsTrigger":"Save","staticcheck":false,"telemetryPrompt":false,"vulncheck":"Off"}`,
		},
		{
			program: "tsserver",
			args: []string{
				"--disableAutomaticTypingAcquisition", "--suppressDiagnosticEvents", "--noGetErrOnBackgroundUpdate",
			},
			languages: []code.Language{code.TypeScript, code.JavaScript},
			env:       []string{"NODE_OPTIONS=--max-old-space-size=1500"},
			protocol:  tsserver,
		},
		{
			program:   "pyright-langserver",
			args:      []string{"--stdio"},
			languages: []code.Language{code.Python},
			env:       []string{"NODE_OPTIONS=--max-old-space-size=1500"},
			// It asks for three sections; each has the keys of one of them only.
			settings: `{"analysis":{` + pyrightAnalysis + `},` + pyrightAnalysis + `,"disableOrganizeImports":true}`,
		},
		{
			program: "clangd",
			// It starts no compiler of a compile_commands.json: that would take --query-driver. What it makes of the
			// headers stays in memory, which is bounded: on disk it would leave that behind.
			args: []string{
				"--background-index=false", "--clang-tidy=false", "--enable-config=false", "--header-insertion=never",
				"--limit-results=64", "-j=2", "--log=error", "--pch-storage=memory",
			},
			languages: []code.Language{code.C, code.CPlusPlus},
			settings:  `{"clangdFileStatus":false}`,
		},
		rustServer(),
	}
}

// languageIDs are the names that the protocol has for languages.
var languageIDs = map[code.Language]string{
	code.Go:     "go",
	code.Python: "python",

	code.C:         "c",
	code.CPlusPlus: "cpp",
	code.Rust:      "rust",
}

// reads tells whether the server knows a language.
func (s *server) reads(l code.Language) bool { return slices.Contains(s.languages, l) }

var errInside = errors.New("it lies in the workspace")

// find is the path of the server's program. What lies in the workspace is passed over: a project may not choose which
// program of its own is started.
func (s *server) find(root string, environ []string) (string, error) {
	path, err := sandbox.LookPath(s.program, environ)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	if resolved.Within(root, real) {
		return "", &exec.Error{Name: s.program, Err: errInside}
	}
	return path, nil
}

// outsideOnly drops the entries of PATH that lie in the workspace.
func outsideOnly(root string, environ []string) []string {
	var out []string
	for _, e := range environ {
		list, ok := strings.CutPrefix(e, "PATH=")
		if !ok {
			out = append(out, e)
			continue
		}
		dirs := slices.DeleteFunc(filepath.SplitList(list), func(dir string) bool {
			real, err := filepath.EvalSymlinks(dir)
			return err != nil || resolved.Within(root, real)
		})
		out = append(out, "PATH="+strings.Join(dirs, string(filepath.ListSeparator)))
	}
	return out
}
