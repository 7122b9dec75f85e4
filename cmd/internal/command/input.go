package command

import (
	"strings"
	"unicode/utf8"

	"helve/internal/workspace"
	"helve/tool"
)

// MustBeText refuses what JSON cannot carry and would come out as something else.
func MustBeText(what, s string) error {
	for i, r := range s {
		if r != utf8.RuneError {
			continue
		}
		if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
			line := strings.Count(s[:i], "\n")
			at := i - (strings.LastIndexByte(s[:i], '\n') + 1)
			return Usage("%s: not valid UTF-8: line %d, byte %d\nhint: convert it, such as with iconv",
				what, line+1, at+1)
		}
	}
	return nil
}

// SessionOf is the session of that ID, nil for "".
func SessionOf(ws *workspace.Assembly, id string) (*tool.Session, error) {
	if id == "" {
		return nil, nil
	}
	session, err := ws.Session(id)
	if err != nil {
		return nil, Usage("--%v", err)
	}
	return session, nil
}
