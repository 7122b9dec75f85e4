package builtin

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

// parsedFile is up to which size a file's syntax is looked at after a change: a megabyte takes some 20 ms.
const parsedFile = 1 << 20

// syntaxes tell what is wrong with a text, by the file's extension: languages that are parsed in
// milliseconds, by parsers that helve has anyway.
var syntaxes = map[string]func([]byte) string{".json": jsonSyntax, ".toml": tomlSyntax, ".sh": shellSyntax, ".bash": shellSyntax}

// syntaxNote says that a change broke a file's syntax. A file that was broken before is somebody's work in progress, and not talked about.
func syntaxNote(p fsroot.Path, before, after []byte) string {
	check := syntaxes[strings.ToLower(path.Ext(p.Rel()))]
	if check == nil || len(after) > parsedFile || len(before) > parsedFile || len(after) == 0 {
		return ""
	}
	wrong := check(after)
	if wrong == "" || len(before) > 0 && check(before) != "" {
		return ""
	}
	return fmt.Sprintf("the file does not parse now: %s:%s", p, wrong)
}

func shellSyntax(b []byte) string {
	_, err := syntax.NewParser().Parse(bytes.NewReader(b), "")
	if bad, ok := errors.AsType[syntax.ParseError](err); ok {
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
	return fmt.Sprintf("%d:%d: %s", 1+bytes.Count(at, []byte("\n")), len(at)-bytes.LastIndexByte(at, '\n')-1, bad)
}
