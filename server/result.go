package server

import (
	"encoding/base64"
	"encoding/json"
	"slices"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
	"helve/tool"
)

// A reply is how a request is answered: in the client's protocol, and with what it wants.
type reply struct {
	heading
	srv *Server
	id  json.RawMessage

	framed []byte // a result that is in its envelope already, from the byte from on
	from   int
	ended  *ending // for the span of the request; nil: it has none
}

// encode writes a tool's result. Foreign blocks go out as they came; nothing is
// sent twice: structured content goes out where the list promises it, where an
// upstream sent it, and where the client asked for it.
func (r *reply) encode(res *tool.Result) (json.RawMessage, error) {
	if r.ended != nil {
		r.ended.note(res)
	}
	if r.wish == wholeData && res.Data != nil {
		own := *res
		own.Parts = slices.DeleteFunc(slices.Clone(res.Parts), isText)
		res = &own
	}
	return r.write(res, r.structured(res))
}

// isText tells a part whose content is in the data, too.
func isText(p tool.Part) bool {
	_, ok := p.(tool.Text)
	return ok
}

// write is encode for who knows whether structured content is promised.
func (r *reply) write(res *tool.Result, data bool) (json.RawMessage, error) {
	const around = 192 // bytes of the envelope and of what is around the blocks
	size := around + len(res.Data) + len(res.Extra)
	for _, p := range res.Parts {
		size += tool.Size(p) + tool.Size(p)/16 + 64 // with what escapes and keys take
	}
	b := rpc.AppendHead(r.srv.bufs.take(size), r.id)
	head := len(b)
	b = append(b, '{')
	b = append(b, r.era.opening()...)
	b = append(b, `"content":[`...)
	var err error
	for i, p := range res.Parts {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendPart(b, p); err != nil {
			return nil, rpc.Errorf(rpc.CodeInternal, "the tool's result cannot be sent: %v", err)
		}
	}
	b = append(b, ']')
	if data && res.Data != nil {
		b = append(b, `,"structuredContent":`...)
		b = append(b, res.Data...)
	}
	if res.Err != nil {
		b = append(b, `,"isError":true`...)
	}
	b = append(r.appendMeta(b, withRepairs(res)), '}')
	rpc.OneLine(b[head:])
	r.framed, r.from = b, head
	return b[head:], nil
}

// answer is the answer as it goes out. What write made is in its envelope
// already, and is not copied once more.
func (r *reply) answer(result json.RawMessage) rpc.Answer {
	n := len(r.framed)
	if n == 0 || len(result) != n-r.from || &result[0] != &r.framed[r.from] {
		return rpc.Answer{Result: result}
	}
	frame := append(r.framed, '}')
	return rpc.Answer{Frame: frame, Release: func() { r.srv.bufs.give(frame) }}
}

// complete is a result in the form of the client's protocol. cached ones may be kept by the client.
func (r *reply) complete(result json.RawMessage, cached bool) json.RawMessage {
	return r.era.complete(r.srv, result, cached)
}

// withMember adds a member unless its key is there.
func withMember(members []rawjson.Member, key string, v json.RawMessage) []rawjson.Member {
	if slices.ContainsFunc(members, func(m rawjson.Member) bool { return m.Key == key }) {
		return members
	}
	return append(members, rawjson.Member{Key: key, Value: v})
}

// structured tells whether a result's data is sent. Many clients put text and data into a model's context, or
// the data alone: of a built-in tool, whose text says the same in fewer tokens, it is sent to those who ask.
func (r *reply) structured(res *tool.Result) bool {
	if res.Job == nil {
		return false
	}
	s := res.Job.Spec
	return s.Wire != nil || s.Output != nil && (s.Origin.Kind != tool.Builtin || r.wish != noData)
}

// metaRepairs is where a program finds what was mended or ignored in the arguments: an array of texts.
const metaRepairs = "helve/repairs"

// withRepairs is the _meta of a result. What was mended here stands before what a server behind says of
// itself under the same key.
func withRepairs(res *tool.Result) json.RawMessage {
	if len(res.Repairs) == 0 {
		return res.Extra
	}
	told := slices.Clone(res.Repairs)
	var inner []string
	if json.Unmarshal(rawjson.Get(res.Extra, metaRepairs), &inner) == nil {
		told = append(told, inner...)
	}
	b, err := json.Marshal(told)
	if err != nil {
		return res.Extra
	}
	extra := res.Extra
	if extra == nil {
		extra = json.RawMessage("{}")
	}
	return rawjson.Set(extra, metaRepairs, b)
}

func (r *reply) appendMeta(b []byte, extra json.RawMessage) []byte {
	extra = r.era.meta(r.srv, extra)
	if extra == nil {
		return b
	}
	b = append(b, `,"_meta":`...)
	return append(b, extra...)
}

// appendPart writes one block. The two that are large are written without a
// detour.
func appendPart(b []byte, p tool.Part) ([]byte, error) {
	switch p := p.(type) {
	case tool.Foreign:
		return append(b, p...), nil
	case tool.Text:
		b = append(b, `{"type":"text","text":`...)
		return append(rawjson.AppendString(b, string(p)), '}'), nil
	case tool.Image:
		return appendBlob(b, "image", p.MIME, p.Data), nil
	case tool.Audio:
		return appendBlob(b, "audio", p.MIME, p.Data), nil
	}
	block, err := tool.Block(p)
	return append(b, block...), err
}

func appendBlob(b []byte, kind, mime string, data []byte) []byte {
	b = append(b, `{"type":"`...)
	b = append(b, kind...)
	b = append(b, `","mimeType":`...)
	b = rawjson.AppendString(b, mime)
	b = append(b, `,"data":"`...)
	b = base64.StdEncoding.AppendEncode(b, data)
	return append(b, '"', '}')
}

// An ending is what the span of a request is told when it is over.
type ending struct {
	tool   string // that was called; "": none that is known
	failed bool   // with an error that the model reads
}

// note keeps what a call came to.
func (o *ending) note(res *tool.Result) {
	if res.Spec != nil {
		o.tool = res.Spec.Origin.Name
	}
	o.failed = res.Err != nil
}

// subscribed marks what belongs to a subscription.
func (r *reply) subscribed(params json.RawMessage) json.RawMessage {
	if params == nil {
		params = json.RawMessage("{}")
	}
	meta := rawjson.Get(params, "_meta")
	if meta == nil {
		meta = json.RawMessage("{}")
	}
	return rawjson.Set(params, "_meta", rawjson.Set(meta, rpc.MetaSubscription, r.id))
}
