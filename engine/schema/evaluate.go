package schema

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	rawjson "helve/internal/json"
)

// An evaluator judges values by a cleaned schema, keyword by keyword, as the JSON Schema drafts
// say, and tells what is wrong. format, content and the like are notes to the reader, in every
// draft. One evaluator serves one judgement.
type evaluator struct {
	form  *compiled
	steps int // schemas evaluated, and what costs as much
	depth int
	over  bool // the bounds are reached: what has been said so far means nothing
	quiet bool // only the verdict is wanted
	found []problem
	more  int // problems not collected
}

// A problem is a violation, and what a choice between several forms needs to know of it.
type problem struct {
	Violation
	want  []string // the types wanted, where the type is what is wrong
	known string   // of an unknown name: the names that there are
}

// withKnown adds to what is wrong with a name those that there are, "" for none.
func withKnown(message, names string) string {
	switch {
	case names == "":
		return message
	case strings.HasSuffix(message, "?"):
		return message + " Known are " + names
	}
	return message + ": known are " + names
}

// A spot is where in the arguments a value stands. The zero one is the whole.
type spot struct {
	up   *spot
	name string
	item int // from 1; 0: a member
}

func (s *spot) path() string {
	switch {
	case s == nil || s.up == nil:
		return ""
	case s.item > 0:
		return stepItem(s.up.path(), s.item-1)
	}
	return step(s.up.path(), s.name)
}

// kid is the spot of a value's i-th kid; nil, where nobody asks, stays nil.
func (s *spot) kid(n *node, i int) *spot {
	if s == nil {
		return nil
	}
	if n.Kind == rawjson.KindArray {
		return &spot{up: s, item: i + 1}
	}
	return &spot{up: s, name: n.Kids[i].Name}
}

// validate judges a value, nil for no objection.
func (f *compiled) validate(root *node) *Invalid {
	e := evaluator{form: f, quiet: true}
	ok := e.schema(f.clean, root, nil, nil)
	if !ok && !e.over {
		e.quiet, e.steps = false, 0
		e.schema(f.clean, root, &spot{}, nil)
	}
	switch {
	case len(e.found) > 0:
		return e.invalid() // what was told before the bounds were reached is true
	case e.over:
		const much = "judging them takes more than %d steps with this schema: send smaller or flatter arguments"
		return invalid(much, maxEvaluations)
	case !ok:
		return invalid("they do not match the schema")
	}
	return nil
}

// invalid puts the problems in order: by path, each once, the first of them in words. The names that
// an object takes are listed with its first unknown one only, or a call with twenty of them would
// repeat the list twenty times.
func (e *evaluator) invalid() *Invalid {
	for i := range e.found {
		e.found[i].Path = shortPath(e.found[i].Path)
	}
	sort.SliceStable(e.found, func(i, j int) bool { return compareProblems(e.found[i], e.found[j]) < 0 })
	e.found = slices.CompactFunc(e.found, func(x, y problem) bool { return x.Violation == y.Violation })
	told := e.found[:min(len(e.found), maxViolations)]
	bad := &Invalid{Violations: make([]Violation, len(told)), More: len(e.found) - len(told) + e.more}
	listed := ""
	for i, p := range told {
		if p.known != "" && p.known != listed { // once is enough
			p.Message = withKnown(p.Message, p.known)
			listed = p.known
		}
		bad.Violations[i] = p.Violation
	}
	return bad
}

// compareProblems sorts by path, then by message: the same arguments give the same words.
func compareProblems(x, y problem) int {
	return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(x.Message, y.Message))
}

// spend pays for work and says whether there is any left to pay with.
func (e *evaluator) spend(steps int) bool {
	e.steps += steps
	e.over = e.over || e.steps > maxEvaluations
	return !e.over
}

// say tells of something wrong with the value at s. It returns false, the verdict.
func (e *evaluator) say(s *spot, format string, args ...any) bool {
	if !e.quiet {
		e.tell(problem{Violation: Violation{Path: s.path(), Message: fmt.Sprintf(format, args...)}})
	}
	return false
}

// tell keeps a problem. Beyond a bound problems are only counted: a million wrong items need no
// million texts.
func (e *evaluator) tell(p problem) {
	if len(e.found) >= maxFound {
		e.more++
		return
	}
	e.found = append(e.found, p)
}

// silently evaluates without telling anything.
func (e *evaluator) silently(sch, n *node, m marks) bool {
	was := e.quiet
	e.quiet = true
	ok := e.schema(sch, n, nil, m)
	e.quiet = was
	return ok
}

// marks remember which kids of a value some keyword has judged; nil where no unevaluated… keyword
// asks.
type marks []bool

// set marks the i-th kid as judged.
func (m marks) set(i int) {
	if m != nil {
		m[i] = true
	}
}

// join adds what another keyword has judged.
func (m marks) join(other marks) {
	for i, done := range other {
		m[i] = m[i] || done
	}
}

// fresh returns marks for the same value, none set.
func (m marks) fresh() marks {
	if m == nil {
		return nil
	}
	return make(marks, len(m))
}

// schema judges n by sch and joins to m what was judged of it. Every keyword is asked, so that all
// that is wrong is told at once, unless only the verdict counts.
func (e *evaluator) schema(sch, n *node, s *spot, m marks) bool {
	if sch.Kind.IsBool() {
		return sch.Text == "true" || e.say(s, "not allowed here")
	}
	if e.depth++; e.depth > maxEvaluationDepth {
		e.over = true
	}
	defer func() { e.depth-- }()
	if !e.spend(1) {
		return false
	}
	own := m.fresh()
	if own == nil && e.form.leftovers[sch] {
		own = make(marks, len(n.Kids))
	}
	ok := true
	for i := range sch.Kids {
		if ok = e.keyword(&sch.Kids[i], sch, n, s, own) && ok; !ok && e.quiet {
			return false
		}
	}
	if e.form.leftovers[sch] {
		ok = e.unevaluated(sch, n, s, own) && ok
	}
	if ok && m != nil {
		m.join(own)
	}
	return ok && !e.over
}

// keyword judges n by one keyword of sch.
func (e *evaluator) keyword(k, sch, n *node, s *spot, m marks) bool {
	switch {
	case isReference(k.Name):
		return e.schema(e.form.targets[k.Text], n, s, m)
	case k.Name == "type":
		return e.types(k, n, s)
	case k.Name == "enum":
		return e.enum(k.Kids, n, s)
	case k.Name == "const":
		return e.enum([]node{*k}, n, s)
	}
	switch k.Name {
	case "allOf":
		return e.allOf(k, n, s, m)
	case "anyOf", "oneOf":
		return e.choice(k, n, s, m)
	case "not":
		return !e.silently(k, n, nil) || e.say(s, "has a form that the schema rules out")
	case "if":
		return e.condition(k, sch, n, s, m)
	}
	switch n.Kind {
	case rawjson.KindNumber:
		return e.number(k, sch, n, s)
	case rawjson.KindString:
		return e.text(k, n, s)
	case rawjson.KindArray:
		return e.array(k, sch, n, s, m)
	case rawjson.KindObject:
		return e.object(k, sch, n, s, m)
	}
	return true
}

// types judges by the keyword type: one word, or a list of which one has to fit.
func (e *evaluator) types(k, n *node, s *spot) bool {
	have := typesOf(n)
	if k.IsString() && typeOf(k.Text)&have != 0 {
		return true
	}
	words := []string{k.Text}
	if !k.IsString() {
		words = words[:0]
		for i := range k.Kids {
			if typeOf(k.Kids[i].Text)&have != 0 {
				return true
			}
			words = append(words, k.Kids[i].Text)
		}
	}
	return e.wrongType(words, n, s)
}

// wrongType tells which types would do. The list is kept apart from the words: where several forms
// are allowed, those that fail by type alone are joined to one sentence.
func (e *evaluator) wrongType(want []string, n *node, s *spot) bool {
	if e.quiet {
		return false
	}
	slices.Sort(want)
	want = slices.Compact(want)
	message := fmt.Sprintf("want %s, got %s", list(want, "or"), describe(n))
	e.tell(problem{Violation: Violation{Path: s.path(), Message: message}, want: want})
	return false
}

// enum judges by the values that are listed; const is a list of one.
func (e *evaluator) enum(want []node, n *node, s *spot) bool {
	if !e.spend(len(want) / 16) {
		return false
	}
	for i := range want {
		if e.same(&want[i], n) {
			return true
		}
	}
	return !e.quiet && e.notListed(want, n, s)
}

// notListed tells which values would do, and which one was probably meant.
func (e *evaluator) notListed(want []node, n *node, s *spot) bool {
	if !e.spend(len(want)) {
		return false
	}
	words, texts := make([]string, len(want)), make([]string, 0, len(want))
	for i := range want {
		if i < maxListed {
			words[i] = literal(&want[i])
		}
		if want[i].IsString() {
			texts = append(texts, want[i].Text)
		}
	}
	one, hint := "one of ", ""
	if len(words) == 1 {
		one = ""
	} else if n.Kind == rawjson.KindString {
		if near := nearest(n.Text, texts); near != "" {
			hint = "; did you mean " + quote(near) + "?"
		}
	}
	return e.say(s, "want %s%s, got %s%s", one, list(words, "or"), describe(n), hint)
}

// literal shows a value of an enum.
func literal(n *node) string {
	if n.IsString() {
		return quote(n.Text)
	}
	return clip(string(rawjson.Compact(n.AppendJSON(nil))))
}
