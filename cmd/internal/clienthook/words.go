package clienthook

import (
	"bytes"
	"fmt"
	"strings"

	"helve/internal/resolved"
	"helve/tool"
)

// denial is why a call is refused, for the model and its person.
func (r *run) denial(j *judged) string {
	return "helve refuses this: " + r.why(j)
}

// question is what the person is asked.
func (r *run) question(j *judged) string {
	return "helve asks: " + r.why(j)
}

// why is the reason, with the layer, the file and the line that decided.
func (r *run) why(j *judged) string {
	v := j.verdict.Verdict
	text := strings.TrimRight(strings.ToValidUTF8(v.Reason, "\uFFFD"), ".")
	if text == "" {
		text = "a rule says so"
	}
	return text + place(v, r.ws.Dir())
}

// place is where the rule stands that decided; "" for what nobody configured.
func place(v tool.Verdict, dir string) string {
	if v.File == "" {
		if v.Layer == "" || v.Layer == "default" {
			return ""
		}
		return " (" + v.Layer + ")"
	}
	file := v.File
	if rel, ok := resolved.Below(dir, file); ok {
		file = rel
	}
	rule := ""
	if v.Rule != "" {
		rule = v.Rule + ", "
	}
	return fmt.Sprintf(" (%s%s layer, %s:%d)", rule, v.Layer, file, v.Line)
}

// maxRuleShown bounds the line in a rule that is shown, in bytes: beyond it nobody reads it.
const maxRuleShown = 200

// rule is what allows the call, as it is written; "" where no rule of one line does.
func (r *run) rule(j *judged) string {
	text := ""
	switch {
	case j.act.Kind == Shell && len(j.lines) == 1 && !j.act.Patch:
		text = "bash:" + j.lines[0]
	case j.act.Kind == Fetch && len(j.verdict.Effects) > 0:
		text = "fetch:" + j.verdict.Effects[0].Target
	case j.act.Kind.tool() != "" && len(j.verdict.Effects) == 1:
		text = j.act.Kind.tool() + ":" + j.verdict.Effects[0].Target
	}
	if text == "" || len(text) > maxRuleShown || strings.ContainsAny(text, "\n*") {
		return ""
	}
	return string(bytes.TrimSpace(object(map[string]string{"allow": text})))
}
