package wrap

import (
	"encoding/json"
	"strconv"
	"time"

	"helve/tool"
)

// recordSpace is what most records need, in bytes.
const recordSpace = 1 << 10

// encode is the record as JSON, byte for byte as json.Marshal writes it, at a quarter of the time: every call pays for
// it.
func (r *Record) encode() []byte {
	o := object(append(make([]byte, 0, recordSpace), '{'))
	o.key("time")
	o = append(r.Time.AppendFormat(append(o, '"'), time.RFC3339Nano), '"')
	o.text("principal", r.Principal)
	o.text("workspace", r.Workspace)
	o.text("session", r.Session)
	o.text("call", r.Call)
	o.text("parent", r.Parent)
	o.text("family", r.Family)
	o.text("gateway", r.Gateway)
	o.always("name", r.Name)
	if r.Origin != nil {
		o.key("origin")
		o.origin(r.Origin)
	}
	o.text("title", r.Title)
	o.effects(r.Effects)
	o.text("digest", string(r.Digest))
	if r.Verdict != nil {
		o.key("verdict")
		o.verdict(r.Verdict)
	}
	if r.Approver != (tool.Approver{}) {
		o.key("approver")
		o = append(o, '{')
		o.always("kind", string(r.Approver.Kind))
		o.text("via", r.Approver.Via)
		o.text("grant", r.Approver.Grant)
		o.text("client", r.Approver.Client)
		o = append(o, '}')
	}
	o.always("outcome", r.Outcome)
	o.text("error", r.Error)
	o.number("ms", r.Duration)
	if r.Asked != 0 {
		o.number("asked_ms", r.Asked)
	}
	o.key("in")
	o = strconv.AppendInt(o, int64(r.In), 10)
	o.key("out")
	o = strconv.AppendInt(o, int64(r.Out), 10)
	if r.Cut != 0 {
		o.key("cut")
		o = strconv.AppendInt(o, int64(r.Cut), 10)
	}
	if len(r.Args) > 0 {
		o.value("args", r.Args)
	}
	o.always("args_digest", r.ArgsDigest)
	o.text("result_digest", r.ResultDigest)
	o.texts("changed", r.Changed)
	o.texts("held", r.Held)
	o.texts("would_wait", r.WouldWait)
	o.text("prev", r.Prev)
	return append(o, '}')
}

// An object is JSON that is being written, from its brace on.
type object []byte

func (o *object) key(name string) {
	if last := (*o)[len(*o)-1]; last != '{' {
		*o = append(*o, ',')
	}
	*o = append(*o, '"')
	*o = append(*o, name...)
	*o = append(*o, '"', ':')
}

// text is a member that is left out where it is empty.
func (o *object) text(name, s string) {
	if s != "" {
		o.always(name, s)
	}
}

func (o *object) always(name, s string) {
	o.key(name)
	if !plain(s) {
		b, _ := json.Marshal(s) // a string: cannot fail
		*o = append(*o, b...)
		return
	}
	*o = append(*o, '"')
	*o = append(*o, s...)
	*o = append(*o, '"')
}

// texts is a member that is left out where there are none.
func (o *object) texts(name string, list []string) {
	if len(list) > 0 {
		o.value(name, list)
	}
}

// plain tells whether JSON writes a text as it is. Letters beyond ASCII are left to who knows which are whole.
func plain(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c > '~', c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}

// number is milliseconds, which are never so many or so few that JSON writes them with an exponent.
func (o *object) number(name string, ms float64) {
	o.key(name)
	*o = strconv.AppendFloat(*o, ms, 'f', -1, 64)
}

// value is any other member, as json.Marshal has it.
func (o *object) value(name string, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		return // what is no JSON is not kept
	}
	o.key(name)
	*o = append(*o, b...)
}

func (o *object) origin(from *tool.Origin) {
	*o = append(*o, '{')
	o.always("kind", string(from.Kind))
	o.text("server", from.Server)
	o.always("name", from.Name)
	*o = append(*o, '}')
}

func (o *object) effects(list []tool.Effect) {
	if len(list) == 0 {
		return
	}
	o.key("effects")
	*o = append(*o, '[')
	for i, e := range list {
		if i > 0 {
			*o = append(*o, ',')
		}
		*o = append(*o, '{')
		o.always("kind", e.Kind.String())
		o.always("target", e.Target)
		*o = append(*o, '}')
	}
	*o = append(*o, ']')
}

func (o *object) verdict(v *RecordVerdict) {
	*o = append(*o, '{')
	o.always("decision", v.Decision.String())
	o.text("reason", v.Reason)
	o.text("rule", v.Rule)
	o.text("layer", v.Layer)
	o.text("file", v.File)
	if v.Line != 0 {
		o.key("line")
		*o = strconv.AppendInt(*o, int64(v.Line), 10)
	}
	*o = append(*o, '}')
}
