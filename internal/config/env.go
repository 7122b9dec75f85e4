package config

import (
	"path/filepath"
	"runtime"
)

// An Environment says where things lie. Tests make their own; [EnvironmentOf] follows the variables.
type Environment struct {
	ConfigHome string // of the user: holds helve/config.json; "" means no user layer
	StateHome  string // holds helve/: grants, trust, records
	CacheHome  string // holds helve/: what can be made again
	Managed    string // the administrator's folder; "" means none
}

// EnvironmentOf is what the variables say. Folders that they do not name stay empty.
func EnvironmentOf(getenv func(string) string) Environment {
	home := getenv("HOME")
	if runtime.GOOS == "windows" {
		home = getenv("USERPROFILE")
	}
	e := Environment{Managed: "/etc/helve"}
	e.ConfigHome = xdg(getenv("XDG_CONFIG_HOME"), home, ".config")
	e.StateHome = xdg(getenv("XDG_STATE_HOME"), home, ".local", "state")
	e.CacheHome = xdg(getenv("XDG_CACHE_HOME"), home, ".cache")
	switch runtime.GOOS {
	case "darwin":
		e.ConfigHome = xdg("", home, "Library", "Application Support")
	case "windows":
		e.ConfigHome = getenv("AppData")
		e.StateHome, e.CacheHome = getenv("LocalAppData"), getenv("LocalAppData")
		e.Managed = xdg("", getenv("ProgramData"), "helve")
	}
	return e
}

// xdg is the folder that a variable names. The specification says that a relative one is to be ignored.
func xdg(dir, home string, below ...string) string {
	if filepath.IsAbs(dir) {
		return dir
	}
	if home == "" {
		return ""
	}
	return filepath.Join(append([]string{home}, below...)...)
}

// State is helve's own folder for what must survive: grants, trust, records. It is outside every workspace.
func (e Environment) State() string { return sub(e.StateHome) }

// Cache is helve's own folder for what can be made again.
func (e Environment) Cache() string { return sub(e.CacheHome) }

func (e Environment) user() string { return sub(e.ConfigHome) }

func sub(dir string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "helve")
}
