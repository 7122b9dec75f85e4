package check

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"helve/internal/change"
	"helve/internal/fsroot"
)

// A virtual environment of Python has an interpreter. Editors run it when they open the folder above, their terminals
// read its bin/activate, and an activated one has its bin before all other programs. Who makes a whole one makes these;
// in one that stands, ordinary work changes its packages.

const (
	stoodWhy = "editors and terminals run it, or what stands beside it, when they open the folder: " +
		"%s is a virtual environment that stood before"
	interpreterWhy = "editors run it when they open the folder, and it is no link to an interpreter of this machine"
)

// judgeEnvironment tells why what becomes of a path in a virtual environment waits.
func (c *checker) judgeEnvironment(e edge) string {
	parts := strings.Split(fsroot.Fold(string(e.Path)), "/")
	top := e.place
	for i := len(parts) - 1; i >= 0; i-- {
		top = top.Parent()
		if !startsWith(parts[i:], e.will.Type) || !c.isEnvironment(top) {
			continue
		}
		switch {
		case c.stoodEnvironment(top) && !c.stoodSo(e):
			return fmt.Sprintf(stoodWhy, top.Base())
		case c.stoodEnvironment(top):
		case parts[i] == "bin" && len(parts) == i+1, // nobody sees what is in it
			len(parts) == i+2 && isInterpreterName(parts[i+1]) && !c.isInterpreter(e):
			return interpreterWhy
		}
	}
	return ""
}

// startsWith tells of a path in a virtual environment, folded, whether its interpreter or a terminal starts with it: a
// program, what says where the interpreter's library is, what that loads by itself, and a link in place of a folder of
// these.
func startsWith(parts []string, kind change.Type) bool {
	first, last := parts[0], parts[len(parts)-1]
	if kind == change.Link && (len(parts) == 1 || first == "lib") {
		folders := []string{"bin", "scripts", "lib", "lib64", "site-packages"}
		return slices.Contains(folders, last) || strings.HasPrefix(last, "python")
	}
	switch {
	case kind == change.Dir:
		return false
	case len(parts) == 1:
		return first == "pyvenv.cfg"
	case first == "bin" || first == "scripts":
		return len(parts) == 2
	}
	i := slices.Index(parts, "site-packages")
	if first != "lib" && first != "lib64" || i < 0 || i+1 >= len(parts) {
		return false
	}
	stem, _, _ := strings.Cut(parts[i+1], ".")
	return strings.HasSuffix(parts[i+1], ".pth") || stem == "sitecustomize" || stem == "usercustomize"
}

// isEnvironment tells whether a folder is a virtual environment, now or when the set was made.
func (c *checker) isEnvironment(top place) bool {
	if fsroot.Fold(top.Base()) == ".venv" {
		return true
	}
	after, err := c.after(top.Child("pyvenv.cfg"))
	return err == nil && after.Type != change.None || c.stoodAt(top.Child("pyvenv.cfg"))
}

func (c *checker) stoodAt(p place) bool {
	e, err := c.before(p)
	return err == nil && e.Type != change.None
}

// stoodEnvironment tells whether a virtual environment stood in a folder, or what makes one.
func (c *checker) stoodEnvironment(top place) bool {
	for _, name := range []string{"pyvenv.cfg", "bin", "Scripts"} {
		if c.stoodAt(top.Child(name)) {
			return true
		}
	}
	return false
}

// stoodSo tells whether what is to stand at a path is what stands there: who makes an environment again writes all of
// it.
func (c *checker) stoodSo(e edge) bool {
	was, err := c.before(e.place)
	switch {
	case err != nil || was.Type != e.will.Type:
		return false
	case was.Type == change.Link:
		return was.Target == e.will.Target
	case was.Type != change.File || was.Mode != e.will.Mode:
		return false
	}
	text, err := c.read(e.place, maxText)
	before := c.readBefore(e.place, maxText)
	if err != nil || was.Size != int64(len(before)) {
		return false
	}
	if fsroot.Fold(e.Base()) == "pyvenv.cfg" {
		text, before = told(text), told(before)
	}
	return bytes.Equal(text, before)
}

// told is what pyvenv.cfg tells Python, without what it tells people of how it was made.
func told(text []byte) (out []byte) {
	for line := range bytes.Lines(text) {
		if !bytes.HasPrefix(line, []byte("command = ")) && !bytes.HasPrefix(line, []byte("prompt = ")) {
			out = append(out, line...)
		}
	}
	return out
}

// isInterpreterName tells of names like python3.11 and pypy3.
func isInterpreterName(name string) bool {
	name = strings.TrimRight(name, "0123456789.")
	return name == "python" || name == "pypy"
}

// isInterpreter tells whether a path in a new environment's bin leads to an interpreter of this machine, by links
// beside it alone: another one could be changed later.
func (c *checker) isInterpreter(e edge) bool {
	files := c.asked[len(c.asked)-1].files
	at, now := files.path(e.place), e.will
	for range maxWay {
		if now.Type != change.Link {
			return false
		}
		to := path.Clean(from(path.Dir(at), string(now.Target)))
		if _, inside := files.place(to); !inside {
			return c.ofMachine(to)
		}
		if path.Dir(to) != path.Dir(at) {
			return false
		}
		at, now = to, files.look(to)
	}
	return false
}

// ofMachine tells of a path outside of the workspace whether an interpreter stands there that no command can change.
func (c *checker) ofMachine(to string) bool {
	real, err := filepath.EvalSymlinks(to)
	if err != nil || !isInterpreterName(fsroot.Fold(filepath.Base(real))) {
		return false
	}
	st, err := os.Stat(real)
	_, inside := c.asked[len(c.asked)-1].files.place(real)
	if err != nil || inside || !st.Mode().IsRegular() {
		return false
	}
	return !slices.ContainsFunc(c.o.New.Writable, func(dir string) bool {
		below, err := filepath.Rel(dir, real)
		return err == nil && filepath.IsLocal(below)
	})
}
