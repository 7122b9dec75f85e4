package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

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
// which key=value sets a parameter and the others together are the one that is required. What is wrong with a value
// is for the pipeline to say, which knows the schema.
func arguments(
	ctx context.Context, s command.Streams, cmd string, ws *workspace.Assembly, name string, words []string,
) (json.RawMessage, error) {
	switch {
	case len(words) == 0:
		return json.RawMessage("{}"), nil
	case len(words) == 1 && words[0] == "-":
		return readAll(ctx, s.Stdin, stdinMax)
	case len(words) == 1 && strings.HasPrefix(strings.TrimSpace(words[0]), "{"):
		return json.RawMessage(words[0]), nil
	case json.Valid([]byte(words[0])) && strings.HasPrefix(strings.TrimSpace(words[0]), "{"):
		return nil, command.Usage("%s %s: behind a JSON object no more words can stand, got %q", cmd, name, words[1])
	}
	return wordsOf(ws, cmd, name).object(words)
}

// readAll reads standard input, which may not have more than so many bytes. A read of a terminal or of a pipe that
// nobody writes to is left behind when ctx ends: the program ends before it does.
func readAll(ctx context.Context, stdin io.Reader, most int) ([]byte, error) {
	type read struct {
		b   []byte
		err error
	}
	done := make(chan read, 1)
	go func() {
		b, err := io.ReadAll(io.LimitReader(stdin, int64(most)+1))
		done <- read{b, err}
	}()
	var b []byte
	var err error
	select {
	case r := <-done:
		b, err = r.b, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("read standard input: %w", err)
	}
	if len(b) > most {
		return nil, command.Usage("standard input has more than %d bytes", most)
	}
	return b, nil
}

// mustBeText refuses what JSON cannot carry and would come out as something else.
func mustBeText(what, s string) error {
	for i, r := range s {
		if r != utf8.RuneError {
			continue
		}
		if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
			line := strings.Count(s[:i], "\n")
			at := i - (strings.LastIndexByte(s[:i], '\n') + 1)
			return command.Usage("%s: not valid UTF-8: line %d, byte %d\nhint: convert it, such as with iconv",
				what, line+1, at+1)
		}
	}
	return nil
}

// A wording turns words into the arguments of one tool.
type wording struct {
	cmd, name  string            // the command and the tool, for what is said
	unknown    bool              // there is no such tool: the call itself says so, whatever the words are
	parameters []schema.Property // of the tool
}

// wordsOf looks at the tool's parameters, also where the tool is switched off: that is for the call to say.
func wordsOf(ws *workspace.Assembly, cmd, name string) wording {
	t, bad := ws.Kit().View().Lookup(name)
	if bad != nil {
		t, bad = ws.Registry().View().Lookup(name)
	}
	w := wording{cmd: cmd, name: name, unknown: bad != nil}
	if bad == nil {
		w.parameters = t.Spec().Input.Properties()
	}
	return w
}

// object makes an object of strings, in the order of the words; the schema says what they mean. A key that is given
// several times is a list.
func (w wording) object(words []string) (json.RawMessage, error) {
	var keys, bare []string
	values := map[string][]string{}
	for _, word := range words {
		if err := mustBeText(fmt.Sprintf("%s %s: %q", w.cmd, w.name, word), word); err != nil {
			return nil, err
		}
		key, value, ok := w.pair(word, len(bare) > 0)
		if near := w.slip(word); !ok && near != "" {
			return nil, command.Usage("%s %s: %q: there is no such parameter, did you mean %s=…?\nhint: quote what is one text: %s",
				w.cmd, w.name, word, near, "'two words'")
		}
		if !ok {
			bare = append(bare, word)
			continue
		}
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
		keys = append(keys, key)
		values[key] = []string{strings.Join(bare, " ")}
	}
	return w.objectOf(keys, values)
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
