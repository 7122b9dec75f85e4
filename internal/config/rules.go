package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"helve/internal/json"
	"helve/internal/toml"
)

// LocalFile is the file of a workspace that is one person's: .helve/config.local.json, or the .toml that is there.
func LocalFile(workspace string) string {
	base := filepath.Join(workspace, Dir, "config.local")
	if _, err := os.Lstat(base + ".json"); err != nil {
		if _, err := os.Lstat(base + ".toml"); err == nil {
			return base + ".toml"
		}
	}
	return base + ".json"
}

// AddRule writes a rule behind those of a file, which it makes if need be: the last one that fits counts. decision is
// allow, ask or deny. What stands there stays byte for byte. check is as for SetIf.
func AddRule(env Environment, file, decision, rule string, check func(Edit) error) (Edit, error) {
	item := json.Within([]string{decision}, json.Node{Kind: json.KindString, Text: rule})
	return editRules(env, file, check, func(text []byte, have []json.Node) ([]byte, []json.Node, error) {
		want := append(slices.Clone(have), item)
		if strings.HasSuffix(file, ".toml") {
			out, err := addRuleTOML(text, &item, want)
			return out, want, err
		}
		p, err := json.NewPatch(text)
		if err != nil {
			return nil, nil, err
		}
		out, err := p.Append([]string{"rules"}, item)
		return out, want, err
	})
}

// RemoveRule takes a file's rule with that index out, which must be this one: somebody may have changed the file since
// it was looked at.
func RemoveRule(env Environment, file string, i int, decision, rule string) (Edit, error) {
	return editRules(env, file, nil, func(text []byte, have []json.Node) ([]byte, []json.Node, error) {
		if err := isRule(file, have, i, decision, rule); err != nil {
			return nil, nil, err
		}
		want := slices.Delete(slices.Clone(have), i, i+1)
		if strings.HasSuffix(file, ".toml") {
			out, err := removeRuleTOML(text, i, want)
			return out, want, err
		}
		p, err := json.NewPatch(text)
		if err != nil {
			return nil, nil, err
		}
		return p.RemoveItem([]string{"rules"}, i), want, nil
	})
}

// LastRule puts a file's rule with that index, which must be this one, behind the others: the last one that fits counts.
// What stands between rules, comments too, stays where it is.
func LastRule(env Environment, file string, i int, decision, rule string) (Edit, error) {
	return editRules(env, file, nil, func(text []byte, have []json.Node) ([]byte, []json.Node, error) {
		if err := isRule(file, have, i, decision, rule); err != nil {
			return nil, nil, err
		}
		at, err := ruleSpans(file, text)
		if err != nil {
			return nil, nil, err
		}
		if len(at) != len(have) {
			return text, nil, nil // which is not what was meant, and told so
		}
		want := append(slices.Delete(slices.Clone(have), i, i+1), have[i])
		return lastSpan(text, at, i), want, nil
	})
}

// isRule fails unless the rule with that index is this one: somebody may have changed the file since it was looked at.
func isRule(file string, have []json.Node, i int, decision, rule string) error {
	if i >= len(have) || !have[i].Get(decision).IsString() || have[i].Get(decision).Content() != rule {
		return fmt.Errorf("config: %s was changed meanwhile: nothing was changed", file)
	}
	return nil
}

// ruleSpans are where the rules of a text stand, start and end of each.
func ruleSpans(file string, text []byte) ([][2]int, error) {
	if strings.HasSuffix(file, ".toml") {
		return ruleSpansTOML(text)
	}
	p, err := json.NewPatch(text)
	if err != nil {
		return nil, err
	}
	return p.Items([]string{"rules"}), nil
}

// lastSpan puts the span with that index into the last one's place, and those behind it one place ahead.
func lastSpan(text []byte, at [][2]int, i int) []byte {
	out := slices.Clone(text[:at[i][0]])
	for k := i; k < len(at); k++ {
		next, until := i, len(text) // the last place takes the one that moves
		if k+1 < len(at) {
			next, until = k+1, at[k+1][0]
		}
		out = append(out, text[at[next][0]:at[next][1]]...)
		out = append(out, text[at[k][1]:until]...)
	}
	return out
}

// editRules changes the rules of a file in place, and writes nothing that does not read as it was meant.
func editRules(
	env Environment, file string, check func(Edit) error,
	edit func([]byte, []json.Node) (out []byte, want []json.Node, err error),
) (Edit, error) {
	return change(env, file, check, func(text []byte) ([]byte, error) {
		have, err := rulesIn(file, text)
		if err != nil {
			return nil, err
		}
		out, want, err := edit(text, have)
		if err != nil {
			return nil, err
		}
		if got, err := rulesIn(file, out); err != nil || !sameNodes(got, want) {
			return nil, fmt.Errorf("config: the rules of %s cannot be changed in place, do it by hand", file)
		}
		return out, nil
	})
}

// rulesIn are those that a text has.
func rulesIn(file string, text []byte) ([]json.Node, error) {
	root, err := new(places).parse(text, Place{File: file})
	if err != nil {
		return nil, err
	}
	n := root.Get("rules")
	switch {
	case n == nil:
		return nil, nil
	case n.Kind != json.KindArray:
		return nil, errors.New("config: rules is not a list")
	}
	return n.Kids, nil
}

func sameNodes(a, b []json.Node) bool {
	return slices.EqualFunc(a, b, func(x, y json.Node) bool {
		return string(x.AppendCompact(nil)) == string(y.AppendCompact(nil))
	})
}

// rulesTOML are the statements that hold rules: one with a list, or tables of their own.
func rulesTOML(text []byte) (list *toml.Statement, tables []int, all []toml.Statement, err error) {
	all, err = toml.Statements(text)
	for i, s := range all {
		switch {
		case len(s.Keys) != 1 || s.Keys[0] != "rules":
		case s.Value < 0:
			tables = append(tables, i)
		default:
			list = &all[i]
		}
	}
	return list, tables, all, err
}

// addRuleTOML adds a rule as those are written that stand there: in a list, or in tables.
func addRuleTOML(text []byte, item *json.Node, want []json.Node) ([]byte, error) {
	list, tables, _, err := rulesTOML(text)
	switch {
	case err != nil:
		return nil, err
	case list == nil && len(tables) == 0:
		return setTOML(text, []string{"rules"}, &json.Node{Kind: json.KindArray, Kids: want})
	case list == nil:
		first := item.Kids[0]
		return insertLines(text, len(text), "", "[[rules]]", keyTOML(first.Name)+" = "+inlineTOML(&first)), nil
	}
	before, after := "", ""
	if strings.Contains(string(text[list.Value:list.ValueEnd]), "\n") {
		newline := json.Newline(text)
		before, after = "  ", newline
	}
	// Whether a comma stands behind the last item is for the parser to say: a comment may have one.
	for _, comma := range []string{", ", ""} {
		out := splice(text, list.ValueEnd-1, list.ValueEnd-1, before+comma+inlineTOML(item)+after)
		if got, err := rulesIn("x.toml", out); err == nil && sameNodes(got, want) {
			return out, nil
		}
	}
	return text, nil // which is not what was meant, and told so
}

// ruleSpansTOML are where tables of rules stand, or the inline tables of their list.
func ruleSpansTOML(text []byte) (at [][2]int, err error) {
	list, tables, all, err := rulesTOML(text)
	if err != nil {
		return nil, err
	}
	for _, table := range tables {
		end := all[table].End
		for _, s := range all {
			if s.Table == table {
				end = max(end, s.End)
			}
		}
		at = append(at, [2]int{all[table].Start, end})
	}
	if list == nil {
		return at, nil
	}
	return inlineTables(text, list.Value, list.ValueEnd), nil
}

// inlineTables are where the tables of a list stand in the text from start to end.
func inlineTables(text []byte, start, end int) (at [][2]int) {
	depth, begun := 0, 0
	for i := start; i < end; i++ {
		switch text[i] {
		case '"', '\'':
			i = quotedTOML(text, i, end)
		case '#':
			for i+1 < end && text[i+1] != '\n' {
				i++
			}
		case '{':
			if depth++; depth == 1 {
				begun = i
			}
		case '}':
			if depth--; depth == 0 {
				at = append(at, [2]int{begun, i + 1})
			}
		}
	}
	return at
}

// quotedTOML is where the text of one line that begins at i ends.
func quotedTOML(text []byte, i, end int) int {
	quote := text[i]
	for i++; i < end && text[i] != quote; i++ {
		if quote == '"' && text[i] == '\\' {
			i++
		}
	}
	return i
}

// removeRuleTOML removes a rule's table, its line, or its place in a list of one line.
func removeRuleTOML(text []byte, i int, want []json.Node) ([]byte, error) {
	list, tables, all, err := rulesTOML(text)
	if err != nil {
		return nil, err
	}
	if list == nil {
		for _, s := range slices.Backward(all) {
			if s.Table == tables[i] {
				text = splice(text, s.Start, s.End, "")
			}
		}
		return text, nil
	}
	value := text[list.Value:list.ValueEnd]
	if !strings.Contains(string(value), "\n") {
		return splice(text, list.Value, list.ValueEnd, inlineTOML(&json.Node{Kind: json.KindArray, Kids: want})), nil
	}
	for at, start := 0, list.Value; at < len(value); {
		end := at + 1 + strings.IndexByte(string(value[at:])+"\n", '\n')
		out := splice(text, start+at, start+min(end, len(value)), "")
		if got, err := rulesIn("x.toml", out); err == nil && sameNodes(got, want) {
			return out, nil
		}
		at = end
	}
	return text, nil
}
