package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"helve/cmd/internal/callwords"
	"helve/cmd/internal/command"
	"helve/engine/schema"
	"helve/internal/names"
	"helve/internal/workspace"
)

// stdinMax bounds what is read from standard input, in bytes: above what a check of arguments takes, so that this
// gives the better error.
const stdinMax = 64 << 20

// pair is key=value. A key is what JSON's members are called in practice; a value may have line ends.
var pair = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_.-]*)=((?s:.*))$`)
})

// arguments makes a call's arguments of the words of a command line: JSON, - for JSON on standard input, or words of
// which key=value and --key value set a parameter and the others together are the one that is required. What is wrong
// is for the pipeline to say, which knows the schema.
func arguments(
	ctx context.Context, s command.Streams, cmd string, ws *workspace.Assembly, name string, behind callwords.Behind,
) (json.RawMessage, error) {
	all := behind.Words
	switch {
	case len(all) == 0:
		return json.RawMessage("{}"), nil
	case len(all) == 1 && all[0] == "-":
		return command.ReadAll(ctx, s.Stdin, stdinMax)
	case len(all) == 1 && strings.HasPrefix(strings.TrimSpace(all[0]), "{"):
		return json.RawMessage(all[0]), nil
	case json.Valid([]byte(all[0])) && strings.HasPrefix(strings.TrimSpace(all[0]), "{"):
		return nil, command.Usage("%s %s: behind a JSON object no more words can stand, got %q", cmd, name, all[1])
	}
	w := wordsOf(ws, cmd, name)
	for _, word := range all {
		if err := command.MustBeText(fmt.Sprintf("%s %s: %q", cmd, name, word), word); err != nil {
			return nil, err
		}
	}
	if callwords.IsShell(name) {
		return w.commandLine(behind)
	}
	all, err := w.fromFlags(behind)
	if err != nil {
		return nil, err
	}
	pairs, bare, err := w.pairs(all)
	if err != nil {
		return nil, err
	}
	return w.object(pairs, bare)
}

// A wording turns words into the arguments of one tool.
type wording struct {
	cmd, name  string            // the command and the tool, for what is said
	dir        string            // the workspace's
	unknown    bool              // there is no such tool: the call itself says so, whatever the words are
	parameters []schema.Property // of the tool
}

// wordsOf looks at the tool's parameters, also where the tool is switched off: that is for the call to say.
func wordsOf(ws *workspace.Assembly, cmd, name string) wording {
	t, bad := ws.Kit().View().Lookup(name)
	if bad != nil {
		t, bad = ws.Registry().View().Lookup(name)
	}
	w := wording{cmd: cmd, name: name, dir: ws.Dir(), unknown: bad != nil}
	if bad == nil {
		w.parameters = t.Spec().Input.Properties()
	}
	return w
}

// pairs tells the words that set a parameter from the others.
func (w wording) pairs(words []string) (pairs, bare []string, err error) {
	for _, word := range words {
		_, _, ok := w.pair(word, len(bare) > 0)
		if near := w.slip(word); !ok && near != "" {
			return nil, nil, command.Usage("%s %s: %q: there is no such parameter, did you mean %s=…?\nhint: %s",
				w.cmd, w.name, word, near, "quote what is one text: 'two words'")
		}
		if ok {
			pairs = append(pairs, word)
		} else {
			bare = append(bare, word)
		}
	}
	return pairs, bare, nil
}

// object makes an object of strings, in the order of the words; the schema says what they mean. A key that is given
// several times is a list.
func (w wording) object(pairs, bare []string) (json.RawMessage, error) {
	var keys []string
	values := map[string][]string{}
	for _, word := range pairs {
		key, value, _ := w.pair(word, false)
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
		values[key] = append(values[key], value)
	}
	if len(bare) > 0 && !w.unknown {
		key, err := w.only(bare)
		if err != nil {
			return nil, err
		}
		if values[key] != nil {
			return nil, command.Usage("%s %s: %q is given beside %s=…, which is the same parameter",
				w.cmd, w.name, bare[0], key)
		}
		bare, place, err := w.place(key, bare, values["path"] != nil)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
		values[key] = []string{strings.Join(bare, " ")}
		if place != "" {
			keys = append(keys, "path")
			values["path"] = []string{place}
		}
	}
	return w.objectOf(keys, values)
}

// place is the path among bare words, for tools that take a text and a path: the last one, as the programs that people
// know have it. A word that is neither there nor looks like a path may be part of the text as well, which is asked.
func (w wording) place(key string, bare []string, given bool) (text []string, path string, err error) {
	takes := slices.ContainsFunc(w.parameters, func(p schema.Property) bool { return p.Name == "path" && !p.Required })
	if !takes || given || key == "path" || len(bare) < 2 {
		return bare, "", nil
	}
	text, path = bare[:len(bare)-1], bare[len(bare)-1]
	if w.exists(path) || strings.ContainsAny(path, `/\`) || strings.HasPrefix(path, ".") {
		return text, path, nil
	}
	return nil, "", command.Usage("%s %s: is %q a path, or does it belong to the %s? There is no such path here\nhint: %s",
		w.cmd, w.name, path, key, fmt.Sprintf("helve %s %s '%s', or helve %s %s '%s' path=%s",
			w.cmd, w.name, strings.Join(bare, " "), w.cmd, w.name, strings.Join(text, " "), path))
}

// exists tells that there is such a file or folder.
func (w wording) exists(path string) bool {
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.dir, path)
	}
	_, err := os.Lstat(path)
	return err == nil
}

// pair takes a word apart. Behind a bare word only a parameter's name makes a pair: the = of a command line belongs
// to the command. Before one any name does, so that a misspelt parameter is told of and not taken for a text.
func (w wording) pair(word string, behind bool) (key, value string, ok bool) {
	m := pair().FindStringSubmatch(word)
	if m == nil {
		return "", "", false
	}
	known := slices.ContainsFunc(w.parameters, func(p schema.Property) bool { return p.Name == m[1] })
	return m[1], m[2], known || !behind
}

// slip is the parameter that a word of the form key=value seems to mean, "" if there is none.
func (w wording) slip(word string) string {
	m := pair().FindStringSubmatch(word)
	if m == nil {
		return ""
	}
	var all []string
	for _, p := range w.parameters {
		all = append(all, p.Name)
	}
	for _, near := range names.Near(m[1], all, 1) {
		return near
	}
	return ""
}

// only is the parameter that bare words are for: the one that is required, and where none is the only one that takes
// a text.
func (w wording) only(bare []string) (string, error) {
	var all, required, texts []string
	for _, p := range w.parameters {
		all = append(all, p.Name)
		if p.Required {
			required = append(required, p.Name)
		}
		if slices.Contains(p.Types, "string") {
			texts = append(texts, p.Name)
		}
	}
	switch {
	case len(required) == 1:
		return required[0], nil
	case len(required) == 0 && len(texts) == 1:
		return texts[0], nil
	case len(all) == 0:
		return "", command.Usage("%s %s: it takes no arguments, got %q", w.cmd, w.name, bare[0])
	case len(required) > 0:
		return "", command.Usage("%s %s: argument %q: want key=value, as it requires %s\nhint: helve %s %s %s",
			w.cmd, w.name, bare[0], strings.Join(required, ", "), w.cmd, w.name, example(required))
	}
	return "", command.Usage("%s %s: argument %q: want key=value\nhint: helve %s %s %s",
		w.cmd, w.name, bare[0], w.cmd, w.name, example(all[:1]))
}

// plain is what a word of a command line means where no text is wanted.
var plain = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(true|false|-?(0|[1-9][0-9]*)(\.[0-9]+)?)$`)
})

// value is a word as JSON. A word has no type of its own: a number or a truth value is one where the parameter takes no
// text, and nothing has to be repaired for it.
func (w wording) value(key, word string) any {
	for _, p := range w.parameters {
		typed := len(p.Types) > 0 && !slices.Contains(p.Types, "string")
		if p.Name == key && typed && plain().MatchString(word) {
			return json.RawMessage(word)
		}
	}
	return word
}

// example is how parameters are given.
func example(names []string) string { return strings.Join(names, "=… ") + "=…" }

// objectOf is an object with these members in this order. Several values are a list.
func (w wording) objectOf(keys []string, values map[string][]string) (json.RawMessage, error) {
	var members []string
	for _, k := range keys {
		var value any = values[k]
		if len(values[k]) == 1 {
			value = w.value(k, values[k][0])
		}
		object, err := json.Marshal(map[string]any{k: value})
		if err != nil {
			return nil, err
		}
		members = append(members, string(object[1:len(object)-1]))
	}
	return json.RawMessage("{" + strings.Join(members, ",") + "}"), nil
}

// fromFlags takes the flags among a tool's words for its parameters: --limit 2, --limit=2, --ignore-case.
func (w wording) fromFlags(cmd callwords.Behind) ([]string, error) {
	var out []string
	for i := 0; i < len(cmd.Words); i++ {
		word := cmd.Words[i]
		if i >= cmd.Literal || len(word) < 2 || word[0] != '-' || plain().MatchString(word) {
			out = append(out, word)
			continue
		}
		name, value, given := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		p, err := w.flag(word, name)
		if err != nil {
			return nil, err
		}
		switch next := i + 1; {
		case given:
		case len(p.Types) == 1 && p.Types[0] == "boolean" && (next >= len(cmd.Words) || !isTruth(cmd.Words[next])):
			value = "true"
		case next < len(cmd.Words):
			value = cmd.Words[next]
			i++
		default:
			return nil, command.Usage("%s %s: %s needs a value\nhint: %s=…", w.cmd, w.name, word, p.Name)
		}
		out = append(out, p.Name+"="+value)
	}
	return out, nil
}

func isTruth(word string) bool { return word == "true" || word == "false" }

// flag is the parameter that a flag means.
func (w wording) flag(word, name string) (schema.Property, error) {
	name = strings.ReplaceAll(name, "-", "_")
	all := make([]string, len(w.parameters))
	for i, p := range w.parameters {
		if p.Name == name {
			return p, nil
		}
		all[i] = p.Name
	}
	none := schema.Property{Name: name} // other names of a parameter are for the pipeline to know
	before := new(pflag.FlagSet)
	command.CommonFlags(before, new(command.Flags))
	letter := strings.TrimPrefix(word, "-")
	switch long := before.Lookup(strings.ReplaceAll(name, "_", "-")); {
	case long != nil:
		return none, w.misplaced(word)
	case strings.HasPrefix(word, "--"):
	case letter == "C", before.ShorthandLookup(letter[:1]) != nil:
		return none, w.misplaced(word)
	default:
		return none, command.Usage("%s %s: %q is no parameter\nhint: %s: helve %s %s -- %s",
			w.cmd, w.name, word, "-- stands before what begins with a dash", w.cmd, w.name, word)
	}
	if name == "session" {
		return none, command.Usage("%s %s: --session needs a value\nhint: helve %[1]s --session ID %[2]s …", w.cmd, w.name)
	}
	own := []string{"yes", "json", "session", "whole"}
	for _, near := range names.Near(name, append(all, own...), 1) {
		return none, command.Usage("%s %s: %s: there is no such parameter, did you mean --%s?", w.cmd, w.name, word, near)
	}
	return none, nil
}

// misplaced is the error of a flag of helve's that is no parameter.
func (w wording) misplaced(word string) error {
	return command.Usage("%s %s: %s is helve's, which stands before the tool's name\nhint: helve %s … %s %s …",
		w.cmd, w.name, word, word, w.cmd, w.name)
}

// commandLine makes the arguments of bash of its words: parameters, and from the first other word on the command.
func (w wording) commandLine(cmd callwords.Behind) (json.RawMessage, error) {
	n := 0
	for n < min(cmd.Literal, len(cmd.Words)) {
		key, _, isPair := w.pair(cmd.Words[n], false)
		known := slices.ContainsFunc(w.parameters, func(p schema.Property) bool { return p.Name == key })
		if !isPair || !known && callwords.Assignment(cmd.Words[n]) {
			break
		}
		n++
	}
	line, err := callwords.Line(cmd.Words[n:])
	if err != nil {
		return nil, command.Usage("%s %s: %v", w.cmd, w.name, err)
	}
	var bare []string
	if n < len(cmd.Words) {
		bare = []string{line}
	}
	return w.object(cmd.Words[:n], bare)
}
