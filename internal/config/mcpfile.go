package config

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// variable is a reference as other hosts write it: ${NAME}, ${NAME:-default}, ${env:NAME}.
var variable = regexp.MustCompile(`\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}`)

// References writes what other hosts' files refer to in our own way: ${env:NAME} and ${env:NAME:-default}.
func References(s string) string { return variable.ReplaceAllString(s, "$${env:$1$2}") }

// transports are the names that other hosts have for them.
var transports = map[string]string{"stdio": "stdio", "local": "stdio", "http": "http", "streamable-http": "http", "streamablehttp": "http", "streamable_http": "http", "sse": "sse"}

// Transport is the type of a server as we call it; "" for one that is not known, which is then found out.
func Transport(kind string) string { return transports[strings.ToLower(kind)] }

// theirs are the keys of a server that mean the same to other hosts. What would loosen, trust above all, they cannot say.
var theirs = []string{"type", "command", "args", "env", "cwd", "url", "headers", "timeout"}

// hostServer is a server of another host's file in our terms; nil for one that is switched off there.
func hostServer(in *node) *node {
	if off := in.get("disabled"); off != nil && off.text == "true" {
		return nil
	}
	out := known(in, reflect.TypeFor[Server]())
	for _, f := range slices.Clone(out.fields) {
		switch {
		case !slices.Contains(theirs, f.name):
			out.remove(f.name)
		case f.name == "type":
			word, _ := f.val.str()
			if word = Transport(word); word == "" {
				out.remove(f.name)
				continue
			}
			out.set(f.name, &node{kind: scalar, at: f.val.at, text: quote(word)})
		case f.name == "timeout":
			if ms, err := strconv.Atoi(f.val.text); err == nil && ms > 0 { // the hosts that have the key count in milliseconds
				out.set(f.name, &node{kind: scalar, at: f.val.at, text: quote((time.Duration(ms) * time.Millisecond).String())})
			} else if _, ok := f.val.str(); !ok {
				out.remove(f.name)
			}
		default:
			out.set(f.name, referring(f.val))
		}
	}
	return out
}

// referring is a value with the references of its strings in our own way.
func referring(n *node) *node {
	own := *n
	own.items, own.fields = slices.Clone(n.items), slices.Clone(n.fields)
	for i, it := range own.items {
		own.items[i] = referring(it)
	}
	for i, f := range own.fields {
		own.fields[i].val = referring(f.val)
	}
	if s, ok := n.str(); ok {
		own.text = quote(References(s))
	}
	return &own
}
