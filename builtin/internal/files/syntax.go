package files

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"mvdan.cc/sh/v3/syntax"

	"helve/internal/fsroot"
)

// parsedFile is up to which size any file's syntax is looked at after a change: a megabyte of JSON takes some 20 ms.
const parsedFile = 1 << 20

// A language is one that is parsed in milliseconds, by a parser that helve has anyway, and up to which size that
// holds for the worst text: the shell's parser goes down a level for every bracket, without an end to its stack; that
// of TOML looks at all keys for each.
type language struct {
	limit int
	check func([]byte) string // what is wrong with a text, "" for nothing
}

var (
	jsonFile  = language{parsedFile, jsonSyntax}
	tomlFile  = language{128 << 10, tomlSyntax}
	shellFile = language{16 << 10, shellSyntax}
)

// languages are known by the file's extension.
var languages = map[string]language{
	".json": jsonFile,
	".toml": tomlFile,
	".sh":   shellFile,
	".bash": shellFile,
}

// syntaxNote says that a change broke a file's syntax. A file that was broken before is somebody's work in progress,
// and not talked about.
func syntaxNote(p fsroot.Path, before, after []byte) string {
	l, ok := languages[strings.ToLower(path.Ext(p.Rel()))]
	large := max(len(before), len(after)) > l.limit
	if !ok || large || len(after) == 0 { // an empty file is no mistake
		return ""
	}
	wrong := l.check(after)
	if wrong == "" || len(before) > 0 && l.check(before) != "" {
		return ""
	}
	return fmt.Sprintf("the file does not parse now: %s:%s", p, wrong)
}

// shellSyntax, tomlSyntax and jsonSyntax say what is wrong with a text, as line:column: reason; "" where it parses.
func shellSyntax(b []byte) string {
	_, err := syntax.NewParser().Parse(bytes.NewReader(b), "")
	bad, ok := errors.AsType[syntax.ParseError](err)
	if ok {
		return fmt.Sprintf("%d:%d: %s", bad.Pos.Line(), bad.Pos.Col(), bad.Text)
	}
	return ""
}

func tomlSyntax(b []byte) string {
	var any map[string]any
	bad, ok := errors.AsType[*toml.DecodeError](toml.Unmarshal(b, &any))
	if !ok {
		return ""
	}
	line, col := bad.Position()
	return fmt.Sprintf("%d:%d: %s", line, col, strings.TrimPrefix(bad.Error(), "toml: "))
}

func jsonSyntax(b []byte) string {
	var any json.RawMessage
	err := json.Unmarshal(b, &any)
	bad, ok := errors.AsType[*json.SyntaxError](err)
	if !ok {
		return ""
	}
	at := b[:min(int(bad.Offset), len(b))]
	line := 1 + bytes.Count(at, []byte("\n"))
	column := len(at) - bytes.LastIndexByte(at, '\n') - 1
	return fmt.Sprintf("%d:%d: %s", line, column, bad)
}
