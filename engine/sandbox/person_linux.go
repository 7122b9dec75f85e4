package sandbox

import (
	"bytes"
	"path/filepath"
	"regexp"
	"sync"

	"helve/internal/change/check"
)

// A personal file is one of a person's settings that ordinary work needs and that may hold a secret beside them. A
// command reads a copy without what may be one.
type personal struct {
	path  string // below the home directory, or below the folder of settings
	shown func(text []byte) []byte
}

// inHome and inConfig are the personal files. Settings for which a file of this list has no place are not shown at all.
var (
	inHome = []personal{
		{".gitconfig", check.Shown},
		{".npmrc", harmlessLines(npmSetting)},
		{".cargo/config.toml", cargoSettings},
	}
	inConfig = []personal{
		{"git/config", check.Shown},
		{"git/ignore", whole},
		{"go/env", harmlessLines(goSetting)},
		{"pip/pip.conf", harmlessLines(pipSetting)},
	}
)

// whole is a file that holds no secret.
func whole(text []byte) []byte { return text }

// npmSetting are the settings of npm by which an installation comes out another one. Registries are shown without a
// password; tokens stand behind other names (docs.npmjs.com, "npmrc", "Auth related configuration").
var npmSetting = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*((@[\w.-]+:)?registry\s*=\s*https?://[^@\s]+|` +
		`(legacy-peer-deps|engine-strict|strict-peer-deps|save-exact|save-prefix|ignore-scripts|package-lock|omit|include|` +
		`install-links|install-strategy|fund|audit|progress|loglevel|update-notifier)\s*=\s*[\w^~.-]*)\s*$`)
})

// goSetting are go's own settings but GOAUTH, and none with a name or a password in an address.
var goSetting = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(GO(ARCH|BIN|CACHE|EXPERIMENT|FLAGS|INSECURE|MODCACHE|NOPROXY|NOSUMDB|OS|PATH|PRIVATE|` +
		`PROXY|SUMDB|TOOLCHAIN|TMPDIR|VCS)|CGO_\w+|CC|CXX)=[^@]*$`)
})

// pipSetting are the lines of pip.conf that hold no password: sections, and settings without one in an address.
var pipSetting = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(\[[\w.-]+\]|(index-url|extra-index-url|find-links|no-index|timeout|retries|` +
		`require-virtualenv|disable-pip-version-check|no-cache-dir|only-binary|no-binary|prefer-binary)\s*=[^@]*)\s*$`)
})

// cargoSecret are the lines of cargo's configuration that hold a secret or name a program that brings one
// (doc.rust-lang.org/cargo/reference/config.html), and addresses with a password.
var cargoSecret = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)token|secret|credential|password|://[^/\s"]*@`)
})

// harmlessLines keeps the lines that match.
func harmlessLines(want func() *regexp.Regexp) func([]byte) []byte {
	return func(text []byte) []byte { return linesOf(text, want(), true) }
}

// cargoSettings leaves out the lines that may hold a secret. Strings of several lines would hide one from that.
func cargoSettings(text []byte) []byte {
	if bytes.Contains(text, []byte(`"""`)) || bytes.Contains(text, []byte("'''")) {
		return nil
	}
	return linesOf(text, cargoSecret(), false)
}

func linesOf(text []byte, pattern *regexp.Regexp, matching bool) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		if pattern.Match(bytes.TrimRight(line, "\r\n")) == matching {
			out = append(out, line...)
		}
	}
	return out
}

// person adds the person's settings, without what may hold a secret.
func (r *readPlan) person(home, config string) {
	if !filepath.IsAbs(config) {
		config = filepath.Join(home, ".config")
	}
	r.settings(home, inHome)
	r.settings(config, inConfig)
}

func (r *readPlan) settings(dir string, files []personal) {
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.path))
		text, err := readSmall(path)
		if err != nil {
			continue
		}
		if shown := f.shown(text); len(shown) > 0 {
			r.Files[path] = string(shown)
		}
	}
}
