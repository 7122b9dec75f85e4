package config

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"helve/internal/json"
)

// variable is a reference as other hosts write it: ${NAME}, ${NAME:-default}, ${env:NAME}.
var variable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}`)
})

// References writes what other hosts' files refer to in our own way: ${env:NAME} and
// ${env:NAME:-default}.
func References(s string) string {
	return variable().ReplaceAllString(s, "$${env:$1$2}")
}

// transports are the names that other hosts have for them.
var transports = map[string]string{
	"stdio":           "stdio",
	"local":           "stdio",
	"http":            "http",
	"streamable-http": "http",
	"streamablehttp":  "http",
	"streamable_http": "http",
	"sse":             "sse",
}

// Transport is the type of a server as we call it; "" for one that is not known, which is then
// found out.
func Transport(kind string) string {
	return transports[strings.ToLower(kind)]
}

// theirs are the keys of a server that mean the same to other hosts. What would loosen, trust above
// all, they cannot say.
var theirs = []string{"type", "command", "args", "env", "cwd", "url", "headers", "timeout"}

// hostServer is a server of another host's file in our terms; false for one that is switched off
// there.
func hostServer(in *json.Node) (json.Node, bool) {
	off := in.Get("disabled")
	if off != nil && off.Kind == json.KindTrue {
		return json.Node{}, false
	}
	ours := reflect.TypeFor[Server]()
	out := each(in, func(f *json.Node) *json.Node {
		if fieldNamed(ours, f.Name) < 0 || !slices.Contains(theirs, f.Name) {
			return nil
		}
		var own json.Node
		switch f.Name {
		case "type":
			word := Transport(f.Text)
			if word == "" {
				return nil
			}
			own = text(word, f)
		case "timeout":
			return hostTimeout(f)
		default:
			own = referring(f)
		}
		return &own
	})
	return out, true
}

// hostTimeout is a time-out in our terms: the hosts that have the key count in milliseconds. nil is
// for what is none.
func hostTimeout(f *json.Node) *json.Node {
	if f.IsString() {
		return f
	}
	ms, ok := whole(f)
	if !ok || ms <= 0 {
		return nil
	}
	own := text((time.Duration(ms) * time.Millisecond).String(), f)
	return &own
}

// referring is a value with the references of its strings in our own way.
func referring(n *json.Node) json.Node {
	own := *n
	own.Kids = slices.Clone(n.Kids)
	for i := range own.Kids {
		own.Kids[i] = referring(&n.Kids[i])
	}
	if n.IsString() {
		own.Text, own.Raw = References(n.Text), ""
	}
	return own
}
