package sandbox

import (
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"helve/engine/sandbox/internal/proc"
)

// passed are the variables that a command inherits: where things are and how text is written. Everything by which
// programs can be made to load or run something (BASH_ENV, LD_*, GIT_*, *PAGER, EDITOR, PYTHON*, NODE_OPTIONS,
// PERL5OPT, CDPATH, IFS …) and everything that may hold a secret is left out by not being here.
var passed = []string{
	// who and where
	"HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "COLORTERM", "NO_COLOR", "CI",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
	// where tools keep what they downloaded
	"GOPATH", "GOROOT", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOTOOLCHAIN",
	"CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "JAVA_HOME", "ANDROID_HOME",
	"NVM_DIR", "NVM_BIN", "PYENV_ROOT", "VIRTUAL_ENV", "CONDA_PREFIX",
	"SSL_CERT_FILE", "SSL_CERT_DIR",
	// without which no program of Windows starts
	"SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "USERPROFILE",
	"APPDATA", "LOCALAPPDATA", "PROGRAMFILES", "TEMP", "TMP",
}

// Env returns the environment of a command: the allow-listed variables of environ, absolute entries of PATH, and
// settings that keep programs from waiting for a person.
func Env(environ []string) []string {
	var out []string
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		if runtime.GOOS == "windows" {
			name = strings.ToUpper(name) // Path and SystemRoot there
		}
		switch {
		case name == "PATH":
			out = append(out, "PATH="+absoluteOnly(value))
		case slices.Contains(passed, name), strings.HasPrefix(name, "LC_"), retries(name) != "":
			out = append(out, withoutUser(e))
		}
	}
	return append(out, "TERM=dumb", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")
}

// noRetries are the settings of programs that would try for a minute what is refused at once: npm waits 10 and 20
// seconds between its tries. Others (go, git, ssh, curl) fail at the first.
var noRetries = []string{"npm_config_fetch_retries", "PIP_RETRIES", "CARGO_NET_RETRY"}

// retries is the setting of noRetries that a variable sets, "" for none. npm takes its own in upper and lower case, with
// hyphens for underscores.
func retries(name string) string {
	for _, n := range noRetries {
		isNPM := strings.HasPrefix(n, "npm_") && strings.EqualFold(strings.ReplaceAll(name, "-", "_"), n)
		if name == n || isNPM {
			return n
		}
	}
	return ""
}

// withoutRetries is the environment of a command without network: with noRetries that nobody set otherwise.
func withoutRetries(env []string) []string {
	out := slices.Clone(env)
	for _, n := range noRetries {
		sets := func(e string) bool {
			name, _, _ := strings.Cut(e, "=")
			return retries(name) == n
		}
		if !slices.ContainsFunc(env, sets) {
			out = append(out, n+"=0")
		}
	}
	return out
}

// userIn is the user, with the password, of an address: GOPROXY may have one for each of its places.
var userIn = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`://[^/?#,|\s]*@`)
})

// withoutUser drops from the addresses in a text who goes there.
func withoutUser(text string) string {
	if !strings.Contains(text, "@") { // nothing is compiled for most
		return text
	}
	return userIn().ReplaceAllString(text, "://")
}

// LookPath finds a program as a command of this environment would be found: in the absolute folders of PATH, and on
// Windows where Git keeps its bash, never that of WSL.
func LookPath(name string, environ []string) (string, error) {
	return proc.LookPath(name, Env(environ))
}

// PassedOver is a program of this name that LookPath does not take, since it is for another system: the bash of WSL. ""
// means that there is none.
func PassedOver(name string, environ []string) string {
	return proc.PassedOver(name, Env(environ))
}

// absoluteOnly drops the entries of PATH that would find programs of the workspace.
func absoluteOnly(path string) string {
	var out []string
	for _, d := range strings.Split(path, string(os.PathListSeparator)) {
		drive := len(d) > 2 && d[1] == ':' // C:\bin
		if strings.HasPrefix(d, "/") || drive {
			out = append(out, d)
		}
	}
	return strings.Join(out, string(os.PathListSeparator))
}
