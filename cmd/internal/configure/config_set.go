package configure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"helve/cmd/internal/command"
	"helve/internal/config"
	"helve/internal/workspace"
)

// configSet sets a value. What is certainly wrong is not written; what may become right, such as the name of a tool
// that a server will bring, is written and warned of.
func configSet(ctx context.Context, s command.Streams, o ConfigOptions) error {
	var odd []workspace.Finding
	err := ConfigWrite(s, o, func(made config.Edit) (err error) {
		odd, err = JudgeEdit(ctx, s, o, made)
		return err
	})
	if err != nil {
		return o.deeper(err)
	}
	for _, f := range odd {
		where := f.Key
		if f.File != "" {
			where = fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Key)
		}
		s.Note("warning: %s", command.Printable(where+": "+f.Message))
	}
	noteTurn(s, o.Key, o.Value)
	return nil
}

// noteTurn says where a value that is a word of agents means another one.
func noteTurn(s command.Streams, key, value string) {
	if key == "review" && strings.Trim(value, `"`) == "turn" {
		s.Note("over MCP no turn is known: there it means call")
	}
}

// deeper adds how a value is set that lies deeper than keys reach: they are split at their first dot.
func (o ConfigOptions) deeper(err error) error {
	words := strings.SplitN(o.Key, ".", 3)
	_, ok := errors.AsType[*command.ExitError](err)
	if !ok || len(words) < 3 || !strings.Contains(err.Error(), ": want an object, got ") {
		return err
	}
	value := o.Value
	if !json.Valid([]byte(value)) {
		value = strconv.Quote(value)
	}
	return command.Usage("config set: %s lies deeper than keys reach, which are split at their first dot: "+
		"set %s.%s as a whole\n"+
		"hint: helve config set %s.%s '{%q:%s}', beside what else it is to have",
		o.Key, words[0], words[1], words[0], words[1], words[2], value)
}

// JudgeEdit looks at a change before it is made: the findings to warn of, or the error of one that is certainly wrong.
// What was wrong before is not the change's doing.
func JudgeEdit(ctx context.Context, s command.Streams, o ConfigOptions, made config.Edit) ([]workspace.Finding, error) {
	after, err := findingsWith(ctx, s, o, map[string][]byte{made.File: made.After})
	if err != nil {
		if _, earlier := findingsWith(ctx, s, o, nil); earlier != nil {
			return []workspace.Finding{{Key: o.Key, Message: err.Error()}}, nil
		}
		return nil, notWritten(withoutPlace(made.File, err.Error()))
	}
	key, _, _ := strings.Cut(o.Key, ".")
	var odd []workspace.Finding
	for _, f := range after {
		about, _, _ := strings.Cut(f.Key, ".")
		if f.File == made.File && (about == key || f.Certain) {
			odd = append(odd, f)
		}
	}
	wrong := slices.IndexFunc(odd, func(f workspace.Finding) bool { return f.Certain })
	if wrong < 0 {
		return odd, nil
	}
	before, err := findingsWith(ctx, s, o, nil)
	if err != nil {
		return odd, nil // the change mends what was worse
	}
	for _, f := range odd[wrong:] {
		same := func(g workspace.Finding) bool { return g.Key == f.Key && g.Message == f.Message }
		if f.Certain && !slices.ContainsFunc(before, same) {
			return nil, notWritten(f.Key + ": " + f.Message + o.remedy(f))
		}
	}
	return odd, nil
}

// findingsWith are those of the workspace, with contents in place of those of files. The project is looked at as if it
// was trusted: nothing of it is started.
func findingsWith(
	ctx context.Context, s command.Streams, o ConfigOptions, instead map[string][]byte,
) ([]workspace.Finding, error) {
	opened, err := o.Options(s)
	if err != nil {
		return nil, err
	}
	opened.Log, opened.Trust = nil, true
	opened.Layers.Instead = instead
	ws, err := workspace.Open(ctx, opened)
	if err != nil {
		return nil, err
	}
	defer ws.Close()
	return ws.Findings(), nil
}

func notWritten(why string) error {
	return command.Usage("config set: nothing was written: %s", command.Printable(why))
}

// withoutPlace leaves out where in the file something would have stood: nothing was written there.
func withoutPlace(file, text string) string {
	return regexp.MustCompile(regexp.QuoteMeta(file)+`:\d+: `).ReplaceAllString(text, "")
}

// remedy is a hint for what has none in its own message.
func (o ConfigOptions) remedy(f workspace.Finding) string {
	words := strings.SplitN(o.Key, ".", 3)
	switch {
	case strings.HasPrefix(f.Message, "ignored: "):
		return "\nhint: -g sets it in your own file"
	case f.Key == "tool_options" && len(words) == 3: // a key is split at its first dot
		return fmt.Sprintf("\nhint: helve config set tool_options.%s '{%q:%s}'", words[1], words[2], o.Value)
	}
	return ""
}
