package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"helve/internal/json"
	"helve/internal/names"
	"helve/internal/state"
)

// File is the file that a change goes to: the one that is there, else config.json. global means the
// user's, else the workspace's.
func (e Environment) File(workspace string, global bool) (string, error) {
	dir := filepath.Join(workspace, Dir)
	if global {
		dir = e.user()
	}
	if dir == "" || !global && workspace == "" {
		return "", errors.New("config: there is no folder for the configuration: set HOME or XDG_CONFIG_HOME")
	}
	path := filepath.Join(dir, "config.json")
	if _, err := os.Lstat(path); err == nil {
		return path, nil
	}
	toml := filepath.Join(dir, "config.toml")
	if _, err := os.Lstat(toml); err == nil {
		return toml, nil
	}
	return path, nil
}

// An Edit is a change of one file that was made. The zero one changed nothing.
type Edit struct {
	File          string // as it was named
	Before, After []byte // nil before: the file was not there
}

// Set writes a value into a file, which it makes if need be. key is split at its first dot; value
// is JSON, or a plain word for keys that want a string. Comments and order of the file stay. Set is
// strict: a value that is wrong is not written. Two processes at once lose nothing.
func Set(env Environment, file, key, value string) (Edit, error) {
	return SetIf(env, file, key, value, nil)
}

// SetIf is Set that asks before it writes. The file is as it was where check returns an error; check
// may read every file and must not change one.
func SetIf(env Environment, file, key, value string, check func(Edit) error) (Edit, error) {
	if !utf8.ValidString(key) || !utf8.ValidString(value) { // no file could hold it as it is
		return Edit{}, fmt.Errorf("config: %q = %q: not valid UTF-8", key, shorten(value))
	}
	keys := SplitKey(key)
	v, err := parseValue(keys, value)
	if err != nil {
		return Edit{}, err
	}
	return change(env, file, check, func(text []byte) ([]byte, error) {
		if strings.HasSuffix(file, ".toml") {
			return setTOML(text, keys, &v)
		}
		return setJSON(text, keys, v)
	})
}

// Holds tells whether a file sets a key, which may be one that no configuration knows. A file that
// is not there holds nothing.
func Holds(file, key string) (bool, error) {
	text, err := readFile(file)
	if missing(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	n, err := new(places).parse(text, Place{File: file})
	return err == nil && n.Path(SplitKey(key)...) != nil, err
}

// Known tells of a key that a configuration may have: nil, or an error that names what may have
// been meant.
func Known(key string) error {
	top := SplitKey(key)[0]
	t := reflect.TypeFor[Values]()
	if fieldNamed(t, top) >= 0 {
		return nil
	}
	text := fmt.Sprintf("config: unknown key %q", shorten(top))
	if near := names.Near(top, keys(t), 1); len(near) > 0 {
		text += fmt.Sprintf(": did you mean %q?", near[0])
	}
	return errors.New(text)
}

// Unset removes a key from a file. One that is not there is no error.
func Unset(env Environment, file, key string) (Edit, error) {
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return Edit{}, nil
	}
	return change(env, file, nil, func(text []byte) ([]byte, error) {
		if strings.HasSuffix(file, ".toml") {
			return unsetTOML(text, SplitKey(key))
		}
		return unsetJSON(text, SplitKey(key))
	})
}

// parseValue reads a value as the command line has it and checks it against its key. What is no
// JSON is taken for a string: nobody quotes a word twice for the shell.
func parseValue(keys []string, value string) (json.Node, error) {
	var none json.Node
	if keys[0] == "tools" {
		return toolsValue(keys, value)
	}
	if len(value) > maxFlag {
		const long = "config: %s: the value is %d bytes long, at most %d are taken"
		return none, fmt.Errorf(long, keys[0], len(value), maxFlag)
	}
	literal := value
	if validJSON(value) != nil {
		literal = json.QuoteString(value)
	}
	all := new(places)
	root, err := all.strictObject(nest(keys, literal), Place{Layer: "value"})
	if err != nil {
		return none, fmt.Errorf("config: %s: %w", strings.Join(keys, "."), err)
	}
	_, problems := all.decode(&root)
	if len(problems) == 0 {
		return *root.Path(keys...), nil
	}
	p := problems[0]
	if p.Unknown {
		return none, fmt.Errorf("config: %s", p.Text)
	}
	return none, fmt.Errorf("config: %s: %s", p.Key, p.Text)
}

// nest writes a value inside the objects of its keys.
func nest(keys []string, literal string) string {
	for _, k := range slices.Backward(keys) {
		literal = "{" + json.QuoteString(k) + ":" + literal + "}"
	}
	return literal
}

// toolsValue has words of its own for its errors, which other programs know.
func toolsValue(keys []string, value string) (json.Node, error) {
	bad := func(reason string) (json.Node, error) {
		return json.Node{}, errors.New("Invalid tools configuration: " + reason)
	}
	one := len(keys) == 2
	if word := json.QuoteString(value); one {
		if _, ok := parseSetting(word); ok { // ask, without the quotes that a shell would take away
			value = word
		}
	}
	if len(value) > maxFlag || nested([]byte(value)) != nil || validJSON(value) != nil {
		if one {
			return bad(fmt.Sprintf("%q must be true or false", shorten(keys[1])))
		}
		return bad("must be valid JSON")
	}
	if one {
		value = nest(keys[1:], value)
	}
	n, err := new(places).strictObject(value, Place{Layer: "value"})
	if errors.Is(err, errNoObject) {
		return bad("must be an object")
	}
	if err != nil {
		return bad(err.Error())
	}
	for i := range n.Kids {
		if _, ok := settingOf(&n.Kids[i]); !ok {
			return bad(fmt.Sprintf("%q must be true or false", shorten(n.Kids[i].Name)))
		}
	}
	return *n.Path(keys[1:]...), nil
}

// setJSON makes a file of its own words where text is empty.
func setJSON(text []byte, keys []string, v json.Node) ([]byte, error) {
	p, err := json.NewPatch(text)
	if err != nil {
		return nil, err
	}
	out, err := p.Set(keys, v)
	if err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	return out, nil
}

func unsetJSON(text []byte, keys []string) ([]byte, error) {
	p, err := json.NewPatch(text)
	if err != nil {
		return nil, err
	}
	return p.Unset(keys), nil
}

// change rewrites a file under a lock that every helve of this user takes. check may be nil.
func change(
	env Environment, file string, check func(Edit) error, edit func([]byte) ([]byte, error),
) (Edit, error) {
	target, err := resolved(file)
	if err != nil {
		return Edit{}, err
	}
	if err := inWorkspace(file, target); err != nil {
		return Edit{}, err
	}
	unlock, err := state.Lock(filepath.Join(env.StateDir, "locks"), target)
	if err != nil {
		return Edit{}, err
	}
	defer unlock()
	perm := fs.FileMode(0o644)
	text, err := readFile(target)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Edit{}, err
	}
	if st, err := os.Stat(target); err == nil {
		perm = st.Mode().Perm()
	}
	at := Place{File: target}
	if _, err := new(places).parse(text, at); err != nil {
		return Edit{}, fmt.Errorf("%w: mend it first", err)
	}
	out, err := edit(text)
	// An edit in place that went wrong must not reach the file: what cannot be read locks the user
	// out.
	if err != nil {
		return Edit{}, err
	}
	if _, err := new(places).parse(out, at); err != nil {
		return Edit{}, fmt.Errorf("config: %s cannot be changed in place, do it by hand: %w", target, err)
	}
	if secret(target, out) {
		perm &= secretPerm
	}
	made := Edit{File: file, Before: text, After: out}
	if check != nil {
		if err := check(made); err != nil {
			return Edit{}, err
		}
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return Edit{}, fmt.Errorf("config: %w", err)
	}
	return made, state.Replace(target, out, perm)
}

// inWorkspace refuses a project file that a link leads out of its workspace: a hostile repository
// would choose what is written.
func inWorkspace(file, target string) error {
	dir := filepath.Dir(file)
	if filepath.Base(dir) != ".helve" { // the user's own file may be a link wherever they like
		return nil
	}
	ws, err := filepath.EvalSymlinks(filepath.Dir(dir))
	if err != nil {
		return plainer(file, err)
	}
	// The file itself may not be there yet, nor its folder.
	real, err := filepath.EvalSymlinks(filepath.Dir(target))
	if err != nil {
		real = filepath.Join(ws, ".helve")
	}
	target = filepath.Join(real, filepath.Base(target))
	rel, err := filepath.Rel(ws, target)
	if err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("config: %s: a link leads out of the workspace, to %s: remove it", file, target)
	}
	return nil
}

// resolved follows links to the file that is to be written, so that a link into somebody's dotfiles
// stays one.
func resolved(file string) (string, error) {
	target, err := filepath.EvalSymlinks(file)
	if errors.Is(err, fs.ErrNotExist) {
		if st, err := os.Lstat(file); err == nil && st.Mode()&fs.ModeSymlink != 0 {
			return "", fmt.Errorf("config: %s: is a link to nothing", file)
		}
		return file, nil // or another writer has made it meanwhile: then it is no link
	}
	if err != nil {
		return "", plainer(file, err)
	}
	return target, nil
}
