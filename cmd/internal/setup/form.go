package setup

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// A form is how a client's file holds its servers.
type form interface {
	// set puts the line into the text, in place of one that is there.
	set(text []byte, l Line) ([]byte, error)

	// unset takes helve out of the text.
	unset(text []byte) ([]byte, error)

	// snippet is what a person would put there by hand.
	snippet(l Line) string

	// words are how the text starts the server that is called helve, or where it is reached; nil: there is none.
	words(text []byte) []string
}

// startsHelve tells whether words start this program as a server, whatever path, version or package runner stands
// before it.
func startsHelve(words []string) bool {
	at := slices.IndexFunc(words, func(word string) bool {
		name := path.Base(strings.ReplaceAll(word, `\`, "/"))
		name, _, _ = strings.Cut(strings.TrimSuffix(name, ".exe"), "@")
		return name == Name || name == FormerName
	})
	return at >= 0 && slices.Contains(words[at+1:], "serve")
}

// wordsOf are the words of a server as clients write it: a command of one word or of several, its arguments, or an
// address.
func wordsOf(server map[string]any) []string {
	var out []string
	for _, key := range []string{"command", "args", "url", "serverUrl", "httpUrl"} {
		switch v := server[key].(type) {
		case string:
			out = append(out, v)
		case []any:
			for _, word := range v {
				out = append(out, fmt.Sprint(word))
			}
		}
	}
	return out
}

// errByHand is the end of each error about a file that cannot be changed in place.
var errByHand = errors.New("mend the file first, or put the lines of `--print` there by hand")

// An entry writes a line as the value that a client wants, its members in order.
type entry func(Line) []member

// A member is a name and its value.
type member struct {
	name  string
	value any
}

func plain(l Line) []member {
	return []member{{"command", l.Command}, {"args", l.Args}}
}

// typed says what kind of server it is, for clients that ask for it.
func typed(l Line) []member {
	return append([]member{{"type", "stdio"}}, plain(l)...)
}

func copilot(l Line) []member {
	return append(append([]member{{"type", "local"}}, plain(l)...), member{"tools", []string{"*"}})
}

// qwen shows a model the tools of MCP servers only by name, behind a search, unless the server's entry says this.
func qwen(l Line) []member {
	return append(plain(l), member{"alwaysLoadTools", true})
}

func opencode(l Line) []member {
	command := append([]string{l.Command}, l.Args...)
	return []member{{"type", "local"}, {"command", command}, {"enabled", true}}
}

// text is a value as JSON in one line, with blanks where people put them.
func text(v any) string {
	list, ok := v.([]string)
	if !ok {
		return quoted(v)
	}
	out := "["
	for i, s := range list {
		if i > 0 {
			out += ", "
		}
		out += quoted(s)
	}
	return out + "]"
}

// quoted is JSON of a string or a truth value. Strings of JSON are also strings of TOML, as
// json.Marshal writes them.
func quoted(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("setup: %v: %v", v, err)) // strings and truth values can be written
	}
	return string(b)
}
