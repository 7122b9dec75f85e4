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
		if i >= len(have) || !have[i].Get(decision).IsString() || have[i].Get(decision).Content() != rule {
			return nil, nil, fmt.Errorf("config: %s was changed meanwhile: nothing was removed", file)
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
