package tool

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

const (
	// packedApart is from how many bytes on a text or data travels beside the JSON: below it the
	// two bookkeeping numbers cost more than they save.
	packedApart = 1 << 10
	// packedParts is how many parts a packed result may bring: more than any tool makes.
	packedParts = 100_000
	// packedWords and packedDetails are how much the error of a protocol may say, in bytes.
	packedWords   = 64 << 10
	packedDetails = 1 << 20
)

// A packed result begins with the length of its header.
type packed struct {
	Result *Result `json:"result"`
	// Raw are the lengths of what was taken out of the result and follows the header as raw bytes:
	// of each part in order (-1: it stands in the result), and of the data.
	Raw  []int `json:"raw,omitempty"`
	Data int   `json:"data"`
	Cut  int   `json:"cut,omitempty"` // Result.Cut
	// Refusal is the error of a protocol with which the call failed: whoever speaks that protocol passes it on.
	Refusal *refusal `json:"refusal,omitempty"`
}

// A refusal is an error of a protocol as it travels. The sentence about it is in the result.
type refusal struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`

	said error // that sentence, on this side
}

func (e *refusal) Error() string { return e.said.Error() }

// RPC is what was answered, for those who pass it on.
func (e *refusal) RPC() (code int, message string, data json.RawMessage) {
	return e.Code, e.Message, e.Data
}

// coded is an error of a protocol, whoever made it.
type coded interface {
	error
	RPC() (code int, message string, data json.RawMessage)
}

// refusalOf is the error of a protocol in a failure; nil: there is none.
func refusalOf(failed *Error) *refusal {
	if failed == nil {
		return nil
	}
	c, ok := errors.AsType[coded](failed)
	if !ok {
		return nil
	}
	e := &refusal{}
	e.Code, e.Message, e.Data = c.RPC()
	if !json.Valid(e.Data) {
		e.Data = nil
	}
	return e
}

// Pack encodes a result for the road to another host: a header in JSON, then what is long as raw
// bytes. As one JSON text 8 MiB of pictures would cost a tenth of a second on each side.
func Pack(r *Result) ([]byte, error) {
	own := *r
	own.Parts = make([]Part, len(r.Parts))
	head := packed{Result: &own, Raw: make([]int, len(r.Parts)), Data: -1, Cut: r.Cut, Refusal: refusalOf(r.Err)}
	var raw [][]byte
	size := 0
	for i, p := range r.Parts {
		kept, apart := takeApart(p)
		own.Parts[i], head.Raw[i] = kept, -1
		if apart != nil {
			head.Raw[i] = len(apart)
			raw, size = append(raw, apart), size+len(apart)
		}
	}
	if len(r.Data) >= packedApart {
		own.Data, head.Data = nil, len(r.Data)
		raw, size = append(raw, r.Data), size+len(r.Data)
	}
	header, err := json.Marshal(head)
	if err != nil {
		return nil, fmt.Errorf("pack result: %w", err)
	}
	out := make([]byte, 0, 4+len(header)+size)
	out = binary.BigEndian.AppendUint32(out, uint32(len(header)))
	out = append(out, header...)
	for _, b := range raw {
		out = append(out, b...)
	}
	return out, nil
}

// takeApart is a part without its bytes, and these; nil: the part stays whole.
func takeApart(p Part) (kept Part, apart []byte) {
	switch p := p.(type) {
	case Text:
		if len(p) >= packedApart {
			return Text(""), []byte(p)
		}
	case Image:
		if p.Data != nil {
			return Image{MIME: p.MIME}, p.Data
		}
	case Audio:
		if p.Data != nil {
			return Audio{MIME: p.MIME}, p.Data
		}
	case Resource:
		if p.Blob != nil {
			return Resource{URI: p.URI, MIME: p.MIME, Text: p.Text, Blob: []byte{}}, p.Blob
		}
	}
	return p, nil
}

var errCutShort = errors.New("unpack result: it ends too early")

// Unpack reads what Pack wrote. Texts that are no UTF-8 are made so: the bytes come from another
// host.
func Unpack(b []byte) (*Result, error) {
	if len(b) < 4 {
		return nil, errCutShort
	}
	n := int(binary.BigEndian.Uint32(b))
	b = b[4:]
	if n > len(b) {
		return nil, errCutShort
	}
	var head packed
	if err := json.Unmarshal(b[:n], &head); err != nil {
		return nil, fmt.Errorf("unpack result: %w", err)
	}
	r := head.Result
	if r == nil || len(head.Raw) != len(r.Parts) || len(head.Raw) > packedParts {
		return nil, errors.New("unpack result: header and parts do not agree")
	}
	r.Cut = max(0, head.Cut)
	if e := head.Refusal; e != nil && r.Err != nil {
		if len(e.Message) > packedWords || len(e.Data) > packedDetails {
			return nil, errors.New("unpack result: the error has too many words")
		}
		e.said, r.Err.Err = r.Err.Err, e
	}
	rest := raw(b[n:])
	for i, size := range head.Raw {
		if size == -1 {
			continue
		}
		piece, err := rest.take(size)
		if err != nil {
			return nil, err
		}
		r.Parts[i], err = putBack(r.Parts[i], piece)
		if err != nil {
			return nil, err
		}
	}
	if head.Data != -1 {
		data, err := rest.take(head.Data)
		if err != nil {
			return nil, err
		}
		if !json.Valid(data) {
			return nil, errors.New("unpack result: the data is no JSON")
		}
		r.Data = data
	}
	if len(rest) > 0 {
		return nil, errors.New("unpack result: there is more than the header says")
	}
	return r, nil
}

// raw are the bytes behind the header.
type raw []byte

func (r *raw) take(n int) ([]byte, error) {
	if n < 0 || n > len(*r) {
		return nil, errCutShort
	}
	out := (*r)[:n:n]
	*r = (*r)[n:]
	return out, nil
}

// putBack gives a part its bytes.
func putBack(p Part, b []byte) (Part, error) {
	switch p := p.(type) {
	case Text:
		return Text(strings.ToValidUTF8(string(b), "\uFFFD")), nil
	case Image:
		p.Data = b
		return p, nil
	case Audio:
		p.Data = b
		return p, nil
	case Resource:
		p.Blob = b
		return p, nil
	}
	return nil, fmt.Errorf("unpack result: a part of type %T has no bytes of its own", p)
}
