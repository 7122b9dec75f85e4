package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"helve/internal/names"
	"helve/internal/state"
)

// File is the file that a change goes to: the one that is there, else config.json. global means the user's, else the workspace's.
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

// Set writes a value into a file, which it makes if need be. key is split at its first dot; value is JSON, or a plain word for keys that
// want a string. Comments and order of the file stay. Set is strict: a value that is wrong is not written. Two processes at once lose
// nothing.
func Set(env Environment, file, key, value string) (Edit, error) {
	if !utf8.ValidString(key) || !utf8.ValidString(value) { // no file could hold it as it is
		return Edit{}, fmt.Errorf("config: %q = %q: not valid UTF-8", key, shorten(value))
	}
	keys := splitKey(key)
	v, err := parseValue(keys, value)
	if err != nil {
		return Edit{}, err
	}
	return change(env, file, func(text []byte) ([]byte, error) {
		if strings.HasSuffix(file, ".toml") {
			return setTOML(text, keys, v)
		}
		return setJSON(text, keys, v)
	})
}

// Holds tells whether a file sets a key, which may be one that no configuration knows. A file that is not there holds nothing.
func Holds(file, key string) (bool, error) {
	text, err := readFile(file)
	if missing(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	n, err := parse(text, Place{File: file})
	return err == nil && n.path(splitKey(key)...) != nil, err
}

// Known tells of a key that a configuration may have: nil, or an error that names what may have been meant.
func Known(key string) error {
	top := splitKey(key)[0]
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
	return change(env, file, func(text []byte) ([]byte, error) {
		if strings.HasSuffix(file, ".toml") {
			return unsetTOML(text, splitKey(key))
		}
		return unsetJSON(text, splitKey(key))
	})
}

// parseValue reads a value as the command line has it and checks it against its key.
func parseValue(keys []string, value string) (*node, error) {
	at := Place{Layer: "value"}
	if keys[0] == "tools" {
		return toolsValue(keys, value, at)
	}
	if len(value) > maxFlag {
		return nil, fmt.Errorf("config: %s: the value is %d bytes long, at most %d are taken", keys[0], len(value), maxFlag)
	}
	text := value
	if validJSON(value) != nil {
		text = quote(value)
	}
	root, err := strictObject("{"+quote(keys[0])+":"+nest(keys[1:], text)+"}", at)
	if err != nil {
		return nil, fmt.Errorf("config: %s: %w", strings.Join(keys, "."), err)
	}
	if _, problems := decodeValues(root); len(problems) > 0 {
		p := problems[0]
		if p.Unknown {
			return nil, fmt.Errorf("config: %s", p.Text)
		}
		return nil, fmt.Errorf("config: %s: %s", p.Key, p.Text)
	}
	return root.path(keys...), nil
}

func nest(keys []string, text string) string {
	for _, k := range slices.Backward(keys) {
		text = "{" + quote(k) + ":" + text + "}"
	}
	return text
}

// toolsValue has the seed's words for its errors (R0.10).
func toolsValue(keys []string, value string, at Place) (*node, error) {
	bad := func(reason string) (*node, error) { return nil, errors.New("Invalid tools configuration: " + reason) }
	if len(value) > maxFlag || nested([]byte(value)) != nil || validJSON(value) != nil {
		if len(keys) == 2 {
			return bad(fmt.Sprintf("%q must be true or false", shorten(keys[1])))
		}
		return bad("must be valid JSON")
	}
	if len(keys) == 2 {
		value = "{" + quote(keys[1]) + ":" + value + "}"
	}
	n, err := strictObject(value, at)
	switch {
	case errors.Is(err, errNoObject):
		return bad("must be an object")
	case err != nil:
		return bad(err.Error())
	}
	for _, f := range n.fields {
		if _, ok := parseSetting(f.val.text); !ok || f.val.kind != scalar {
			return bad(fmt.Sprintf("%q must be true or false", shorten(f.name)))
		}
	}
	return n.path(keys[1:]...), nil
}

// change rewrites a file under a lock that every helve of this user takes.
func change(env Environment, file string, edit func([]byte) ([]byte, error)) (Edit, error) {
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
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return Edit{}, fmt.Errorf("config: %w", err)
		}
	case err != nil:
		return Edit{}, err
	default:
		if st, err := os.Stat(target); err == nil {
			perm = st.Mode().Perm()
		}
	}
	at := Place{File: target}
	if _, err := parse(text, at); err != nil {
		return Edit{}, fmt.Errorf("%w: mend it first", err)
	}
	out, err := edit(text)
	if err != nil {
		return Edit{}, err
	}
	if _, err := parse(out, at); err != nil {
		return Edit{}, fmt.Errorf("config: %s cannot be changed in place, do it by hand: %w", target, err)
	}
	return Edit{File: file, Before: text, After: out}, state.Replace(target, out, perm)
}

// inWorkspace refuses a project file that a link leads out of its workspace: a hostile repository would choose what is written.
func inWorkspace(file, target string) error {
	dir := filepath.Dir(file)
	if filepath.Base(dir) != ".helve" { // the user's own file may be a link wherever they like
		return nil
	}
	ws, err := filepath.EvalSymlinks(filepath.Dir(dir))
	if err != nil {
		return plainer(file, err)
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(target)); err == nil { // the file itself may not be there yet
		target = filepath.Join(real, filepath.Base(target))
	} else {
		target = filepath.Join(ws, ".helve", filepath.Base(target))
	}
	if rel, err := filepath.Rel(ws, target); err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return fmt.Errorf("config: %s: a link leads out of the workspace, to %s: remove it", file, target)
	}
	return nil
}

// resolved follows links to the file that is to be written, so that a link into somebody's dotfiles stays one.
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

// pretty is a value as it is written into a file, its lines indented below prefix.
func (n *node) pretty(prefix string) string {
	b, err := json.MarshalIndent(n.json(), prefix, "  ")
	if err != nil || len(n.json()) <= 60 { // short ones stay in one line
		return spaced(n)
	}
	return string(b)
}

// spaced is a value in one line, with a space after colons and commas.
func spaced(n *node) string {
	var parts []string
	switch n.kind {
	case scalar:
		return n.text
	case array:
		for _, it := range n.items {
			parts = append(parts, spaced(it))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	for _, f := range n.fields {
		parts = append(parts, quote(f.name)+": "+spaced(f.val))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
