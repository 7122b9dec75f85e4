package config

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// An Environment says where things lie. Tests make their own; [EnvironmentOf] follows the
// variables.
type Environment struct {
	ConfigHome string // of the user: holds helve/config.json; "" means no user layer
	StateDir   string // helve's own folder for what must survive, outside every workspace: grants, trust, records
	CacheDir   string // helve's own folder for what can be made again
	Managed    string // the administrator's folder; "" means none
}

// EnvironmentOf is what the variables say. A home folder that they do not name leaves ConfigHome
// empty; the state then lies where the system wants the configuration of programs, or in the folder
// for temporary files.
func EnvironmentOf(getenv func(string) string) Environment {
	e := Environment{StateDir: stateDir(getenv), CacheDir: cacheDir(getenv)}
	switch runtime.GOOS {
	case "darwin":
		e.ConfigHome = below(getenv("HOME"), "Library", "Application Support")
	case "windows":
		e.ConfigHome = getenv("AppData")
	default:
		e.ConfigHome = xdg(getenv("XDG_CONFIG_HOME"), getenv("HOME"), ".config")
	}
	if runtime.GOOS == "windows" {
		e.Managed = below(getenv("ProgramData"), "helve")
	} else {
		e.Managed = "/etc/helve"
	}
	return e
}

func stateDir(getenv func(string) string) string {
	dir := xdg(getenv("XDG_STATE_HOME"), getenv("HOME"), ".local", "state")
	if dir != "" {
		return filepath.Join(dir, "helve")
	}
	dir, err := os.UserConfigDir() // Windows
	if err == nil {
		return filepath.Join(dir, "helve", "state")
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("helve-%d", os.Getuid()))
}

func cacheDir(getenv func(string) string) string {
	dir := xdg(getenv("XDG_CACHE_HOME"), getenv("HOME"), ".cache")
	if dir != "" {
		return filepath.Join(dir, "helve")
	}
	return filepath.Join(stateDir(getenv), "cache")
}

// xdg is the folder that a variable names. The specification says that a relative one is to be
// ignored.
func xdg(dir, home string, rest ...string) string {
	if filepath.IsAbs(dir) {
		return dir
	}
	return below(home, rest...)
}

// below is a folder below another, "" where that is not known.
func below(dir string, rest ...string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(append([]string{dir}, rest...)...)
}

func (e Environment) user() string {
	return below(e.ConfigHome, "helve")
}
