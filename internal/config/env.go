package config

import (
	"os"
	"path/filepath"
	"runtime"
)

// An Environment says where things lie. Tests make their own; [System] is the real one.
type Environment struct {
	ConfigHome string              // of the user: holds helve/config.json; "" means no user layer
	StateHome  string              // holds helve/: grants, trust, records
	CacheHome  string              // holds helve/: what can be made again
	Managed    string              // the administrator's folder; "" means none
	Getenv     func(string) string // nil: every variable is unset
}

// System is the environment of this process. Folders of the user that cannot be found stay empty.
func System() Environment {
	e := Environment{Getenv: os.Getenv, Managed: "/etc/helve"}
	home, _ := os.UserHomeDir()
	e.ConfigHome = systemConfig(home)
	e.StateHome = xdg("XDG_STATE_HOME", home, ".local", "state")
	e.CacheHome = xdg("XDG_CACHE_HOME", home, ".cache")
	if runtime.GOOS == "windows" {
		e.Managed = filepath.Join(os.Getenv("ProgramData"), "helve")
	}
	return e
}

func systemConfig(home string) string {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		dir, _ := os.UserConfigDir()
		return dir
	}
	return xdg("XDG_CONFIG_HOME", home, ".config")
}

// xdg is the folder that a variable names. The specification says that a relative one is to be ignored.
func xdg(name, home string, below ...string) string {
	if dir := os.Getenv(name); filepath.IsAbs(dir) {
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

func (e Environment) getenv(name string) string {
	if e.Getenv == nil {
		return ""
	}
	return e.Getenv(name)
}

// Workspace is the folder that a run works in: dir if it is given, else PROJECT_ROOT, else the working directory (R3.5). It is
// absolute, with links resolved.
func (e Environment) Workspace(dir string) (string, error) {
	if dir == "" {
		dir = e.getenv("PROJECT_ROOT")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}
