package clienthook

import (
	"fmt"
	"helve/internal/resolved"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// maxAdded bounds the further folders of a client: each is looked at when a workspace is opened.
const maxAdded = 32

// added are the further folders that the person gave Claude Code: by --add-dir, or in the settings of the person and
// the administrator. What a project's settings say is no word of the person's, who may have no more than cloned it.
func (r *run) added() []string {
	if r.Client.Name != "claude-code" {
		return nil
	}
	pid, _ := strconv.Atoi(r.Getenv("CLAUDE_PID"))
	start, _ := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid)) // "": what is relative means nothing
	var out []string
	for _, dir := range slices.Concat(addDirs(argsOf(pid)), r.claudeDirs()) {
		if rest, ok := strings.CutPrefix(dir, "~/"); ok {
			dir = r.home(rest)
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(start, dir)
		}
		dir = folderOf(dir)
		if dir == "" || resolved.Within(dir, folderOf(r.Getenv("HOME"))) || slices.Contains(out, dir) {
			continue // the home, and what holds it, is no folder to work in
		}
		out = append(out, dir)
	}
	return out[:min(len(out), maxAdded)]
}

// claudeDirs are the folders in the settings. Those that are relative have no base that is known.
func (r *run) claudeDirs() []string {
	dir := r.Getenv("CLAUDE_CONFIG_DIR")
	if !filepath.IsAbs(dir) {
		dir = r.home(".claude")
	}
	var c clientRules
	var out []string
	for _, file := range []string{"/etc/claude-code/managed-settings.json", filepath.Join(dir, "settings.json")} {
		var s struct {
			Permissions struct {
				Dirs []string `json:"additionalDirectories"`
			} `json:"permissions"`
		}
		c.readSettings(file, &s)
		for _, d := range s.Permissions.Dirs {
			if filepath.IsAbs(d) || strings.HasPrefix(d, "~/") {
				out = append(out, d)
			}
		}
	}
	return out
}

// addDirs are the values of --add-dir, which takes all words up to the next option.
func addDirs(args []string) []string {
	var out []string
	on := false
	for _, arg := range args {
		value, joined := strings.CutPrefix(arg, "--add-dir=")
		switch {
		case joined:
			out = append(out, value)
		case arg == "--":
			return out
		case strings.HasPrefix(arg, "-"):
			on = arg == "--add-dir"
		case on:
			out = append(out, arg)
		}
	}
	return out
}
