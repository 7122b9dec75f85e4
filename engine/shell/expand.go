package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// param adds a variable: known when this script set it to a constant, or when it is HOME or PWD.
func (r *wordReader) param(p *syntax.ParamExp, quoted bool) {
	name := ""
	if p.Param != nil {
		name = p.Param.Value
	}
	unknownHome := name == "HOME" && r.e.at.home == "" && r.e.vars.texts["HOME"] == ""
	if unknownHome && r.out.Len() == 0 && (plainParam(p) || textOperator(p)) {
		r.endLead()
		r.w.static = false
		r.w.home = true
		r.out.WriteByte('~')
		return
	}
	value, ok := r.e.expand(p, name)
	if !ok {
		r.unknown("$"+name, quoted)
		return
	}
	r.value(value, quoted)
}

// variable is what a name stands for, as far as one can tell.
func (e *expander) variable(name string) (string, bool) {
	v, ok := e.vars.texts[name]
	if ok {
		return v, true
	}
	switch {
	case name == "IFS":
		return blanks, true
	case name == "HOME" && e.at.home != "":
		return e.at.home, true
	case name == "PWD" && len(e.at.dirs) == 1 && !strings.HasPrefix(e.at.dirs[0], unknownDir):
		return e.at.dirs[0], true
	}
	return "", false
}

// expand applies the operators that choose a text; of a variable that is not known, the text that stands for an unset
// one.
func (e *expander) expand(p *syntax.ParamExp, name string) (string, bool) {
	value, known := e.variable(name)
	if plainParam(p) {
		return value, known
	}
	if !textOperator(p) || p.Exp == nil {
		return "", false
	}
	other := func() (string, bool) {
		if p.Exp.Word == nil {
			return "", true
		}
		w := e.word(p.Exp.Word)
		return w.text, w.known && !w.home
	}
	switch p.Exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return other()
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if known && value != "" {
			return value, true
		}
		return other()
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return value, known
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix: // where no pattern is to be matched
		cut, ok := other()
		pattern := strings.ContainsAny(cut, `*?[\`)
		return strings.TrimSuffix(value, cut), known && ok && !pattern
	}
	return "", false
}

// textOperator reports ${a:-b}, ${a%b}, ${a/b/c} and their kin, which assign and evaluate nothing.
func textOperator(p *syntax.ParamExp) bool {
	plain := *p
	plain.Exp = nil
	plain.Repl = nil
	both := p.Exp != nil && p.Repl != nil
	neither := p.Exp == nil && p.Repl == nil
	if !plainParam(&plain) || both || neither {
		return false
	}
	if p.Exp == nil {
		return true
	}
	switch p.Exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull,
		syntax.DefaultUnset, syntax.DefaultUnsetOrNull,
		syntax.ErrorUnset, syntax.ErrorUnsetOrNull,
		syntax.RemSmallSuffix, syntax.RemLargeSuffix, syntax.RemSmallPrefix, syntax.RemLargePrefix,
		syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		return true
	}
	return false
}

// plainParam reports $name or ${name}, without operators, which may assign, execute or evaluate.
func plainParam(p *syntax.ParamExp) bool {
	prefixed := p.Excl || p.Length || p.Width || p.IsSet || p.Flags != nil
	suffixed := p.Index != nil || p.Modifiers != nil || p.Slice != nil || p.Repl != nil || p.Names != 0 || p.Exp != nil
	return p.Param != nil && p.NestedParam == nil && !prefixed && !suffixed
}

// loopWord returns the words that "$f" may be, for a word that is nothing else. Without quotes, names that only the
// file system knows may fall apart.
func (e *expander) loopWord(x *syntax.Word) []word {
	if len(e.vars.oneOf) == 0 || len(x.Parts) != 1 {
		return nil
	}
	part, quoted := x.Parts[0], false
	if q, ok := part.(*syntax.DblQuoted); ok && !q.Dollar && len(q.Parts) == 1 {
		part, quoted = q.Parts[0], true
	}
	p, ok := part.(*syntax.ParamExp)
	if !ok || !plainParam(p) {
		return nil
	}
	list := e.vars.oneOf[p.Param.Value]
	for _, w := range list {
		if !quoted && (w.glob || w.blank || w.text == "") {
			return nil
		}
	}
	return list
}

// loopLead is what is known of the start of such a word: enough to tell that it is no option.
func loopLead(list []word) string {
	for _, w := range list {
		if w.lead == "" || w.lead[0] == '-' {
			return ""
		}
	}
	return list[0].lead
}
