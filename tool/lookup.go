package tool

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"helve/internal/names"
)

// nameShown is how much of a model's made-up name an error repeats: more says nothing, and may be
// an attack on who reads it.
const nameShown = 80

// find resolves a name as a model writes it, among all tools, offered or not: a tool that is
// switched off must not be mistaken for another that merely looks like it.
func (v *View) find(name string) (*entry, *Error) {
	if e := v.exact(name); e != nil {
		return e, nil
	}
	bare, stripped := names.Strip(name)
	if stripped {
		if e := v.exact(bare); e != nil {
			return e, nil
		}
	}
	v.spell.Do(v.spellAll)
	for _, try := range []string{name, bare} {
		if e, err := only(name, v.spelled[try]); e != nil || err != nil {
			return e, err
		}
	}
	for _, try := range []string{name, bare} {
		if e, err := only(name, v.folded[names.Fold(try)]); e != nil || err != nil {
			return e, err
		}
	}
	return nil, v.unknown(name, bare)
}

// offer is the entry of an offered tool, or why there is none.
func (v *View) offer(name string) (*entry, *Error) {
	e, bad := v.find(name)
	if bad == nil && !e.offered {
		bad = e.switchedOff()
	}
	if bad != nil {
		return nil, bad
	}
	return e, nil
}

// Lookup finds an offered tool by public name, alias or any spelling that means one tool only. The
// error is what a model would read.
func (v *View) Lookup(name string) (Tool, *Error) {
	e, bad := v.offer(name)
	if bad != nil {
		return nil, bad
	}
	return e.tool, nil
}

// switchedOff says that a tool that exists is not offered, in words that programs match, and which
// layer says so.
func (e *entry) switchedOff() *Error {
	err := Verbatim(UnknownTool, "Error: tool '%s' is disabled.", e.name)
	if !e.verdict.Off {
		err = Verbatim(Permission, "Error: tool '%s' is not allowed here.", e.name)
	}
	err.Tool, err.verdict, err.spec = e.name, e.verdict, e.spec
	return err.WithHint("%s", e.verdict.Why())
}

func (v *View) exact(name string) *entry {
	if e := v.byName[name]; e != nil {
		return e
	}
	return v.aliases[name]
}

// only is the one entry that a spelling means; several are an error that names them all.
func only(name string, hits []*entry) (*entry, *Error) {
	switch len(hits) {
	case 0:
		return nil, nil
	case 1:
		return hits[0], nil
	}
	var ids []string
	for _, e := range hits {
		ids = append(ids, e.name)
	}
	slices.Sort(ids)
	bad := Verbatim(UnknownTool, "Error: Tool '%s' is ambiguous.", shown(name))
	bad.verdict = Verdict{Reason: "several tools have this name", Layer: "lookup"}
	return nil, bad.WithHint("Say which one: %s.", strings.Join(ids[:min(len(ids), 8)], ", "))
}

func (v *View) spellAll() {
	v.spelled, v.folded = map[string][]*entry{}, map[string][]*entry{}
	for _, e := range v.all {
		for _, s := range append(e.spec.Spellings(), e.name) {
			addOnce(v.spelled, s, e)
			addOnce(v.folded, names.Fold(s), e)
		}
	}
}

func addOnce(m map[string][]*entry, key string, e *entry) {
	if !slices.Contains(m[key], e) {
		m[key] = append(m[key], e)
	}
}

// unknown says so, with what may have been meant. Near misses are suggested, never run.
func (v *View) unknown(name, bare string) *Error {
	err := Verbatim(UnknownTool, "Error: Tool '%s' not found.", shown(name))
	err.verdict = Verdict{Reason: "no tool has this name", Layer: "lookup"}
	candidates := make([]string, 0, len(v.specs))
	for _, s := range v.specs {
		candidates = append(candidates, v.Name(s))
	}
	if near := names.Near(bare, candidates, 3); len(near) > 0 {
		return err.WithHint("Did you mean %s?", strings.Join(near, ", "))
	}
	if len(candidates) > 0 && len(candidates) <= 20 {
		return err.WithHint("Available: %s.", strings.Join(candidates, ", "))
	}
	return err
}

// shown is a name fit for a message: one line, no control characters, not long.
func shown(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, name)
	if utf8.RuneCountInString(clean) > nameShown {
		return string([]rune(clean)[:nameShown]) + "…"
	}
	return clean
}
