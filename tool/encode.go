package tool

import (
	"encoding/json"
	"fmt"
)

// Results, parts and displays encode to JSON and back without loss, so that a job can run on
// another host. The forms are those of the Model Context Protocol's content blocks where it has
// one.

type block struct {
	Type        string         `json:"type"`
	Text        *string        `json:"text,omitempty"`
	Data        []byte         `json:"data,omitempty"`
	MIME        string         `json:"mimeType,omitempty"`
	URI         string         `json:"uri,omitempty"`
	Name        string         `json:"name,omitempty"`
	Title       string         `json:"title,omitempty"`
	Description string         `json:"description,omitempty"`
	Size        int64          `json:"size,omitempty"`
	Resource    *resourceBlock `json:"resource,omitempty"`
	Raw         string         `json:"raw,omitempty"` // of a foreign block: its bytes, which must not be reformatted
}

type resourceBlock struct {
	URI  string  `json:"uri"`
	MIME string  `json:"mimeType,omitempty"`
	Text *string `json:"text,omitempty"`
	Blob []byte  `json:"blob,omitempty"`
}

// Block is the part as a content block of the Model Context Protocol; a foreign part is its own
// bytes.
func Block(p Part) (json.RawMessage, error) {
	if f, ok := p.(Foreign); ok {
		return json.RawMessage(f), nil
	}
	b, err := toBlock(p)
	if err != nil {
		return nil, err
	}
	return json.Marshal(b)
}

func toBlock(p Part) (*block, error) {
	switch p := p.(type) {
	case Text:
		s := string(p)
		return &block{Type: "text", Text: &s}, nil
	case Image:
		return &block{Type: "image", MIME: p.MIME, Data: p.Data}, nil
	case Audio:
		return &block{Type: "audio", MIME: p.MIME, Data: p.Data}, nil
	case Link:
		return &block{
			Type:        "resource_link",
			URI:         p.URI,
			Name:        p.Name,
			Title:       p.Title,
			Description: p.Description,
			MIME:        p.MIME,
			Size:        p.Size,
		}, nil
	case Resource:
		r := &resourceBlock{URI: p.URI, MIME: p.MIME, Blob: p.Blob}
		if p.Blob == nil {
			r.Text = &p.Text
		}
		return &block{Type: "resource", Resource: r}, nil
	case Foreign:
		return &block{Type: "foreign", Raw: string(p)}, nil
	}
	return nil, fmt.Errorf("encode part: unknown type %T", p)
}

func (b *block) part() (Part, error) {
	switch b.Type {
	case "text":
		if b.Text == nil {
			return nil, fmt.Errorf("decode part: text block without text")
		}
		return Text(*b.Text), nil
	case "image":
		return Image{MIME: b.MIME, Data: b.Data}, nil
	case "audio":
		return Audio{MIME: b.MIME, Data: b.Data}, nil
	case "resource_link":
		return Link{
			URI:         b.URI,
			Name:        b.Name,
			Title:       b.Title,
			Description: b.Description,
			MIME:        b.MIME,
			Size:        b.Size,
		}, nil
	case "resource":
		if b.Resource == nil {
			return nil, fmt.Errorf("decode part: resource block without resource")
		}
		r := Resource{URI: b.Resource.URI, MIME: b.Resource.MIME, Blob: b.Resource.Blob}
		if b.Resource.Text != nil {
			r.Text = *b.Resource.Text
		}
		return r, nil
	case "foreign":
		return Foreign(b.Raw), nil
	}
	return nil, fmt.Errorf("decode part: unknown type %q", b.Type)
}

type resultJSON struct {
	Parts   []*block        `json:"parts,omitempty"`
	Display json.RawMessage `json:"display,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
	Meta    json.RawMessage `json:"meta,omitempty"`
	Extra   json.RawMessage `json:"extra,omitempty"`
	Err     *Error          `json:"error,omitempty"`
	Need    *Need           `json:"need,omitempty"`
	Repairs []string        `json:"repairs,omitempty"`
	Family  string          `json:"family,omitempty"`
}

// MarshalJSON writes the result without Job and Verdict, which belong to the host that made them.
func (r *Result) MarshalJSON() ([]byte, error) {
	out := resultJSON{
		Display: encodeDisplay(r.Display),
		Data:    r.Data,
		Meta:    r.Meta,
		Extra:   r.Extra,
		Err:     r.Err,
		Need:    r.Need,
		Repairs: r.Repairs,
		Family:  r.Family,
	}
	for _, p := range r.Parts {
		b, err := toBlock(p)
		if err != nil {
			return nil, err
		}
		out.Parts = append(out.Parts, b)
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *Result) UnmarshalJSON(b []byte) error {
	var in resultJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	*r = Result{
		Data:    in.Data,
		Meta:    in.Meta,
		Extra:   in.Extra,
		Err:     in.Err,
		Need:    in.Need,
		Repairs: in.Repairs,
		Family:  in.Family,
	}
	for _, b := range in.Parts {
		p, err := b.part()
		if err != nil {
			return err
		}
		r.Parts = append(r.Parts, p)
	}
	var err error
	r.Display, err = decodeDisplay(in.Display)
	return err
}

type displayJSON struct {
	Type    string `json:"type"`
	Text    string `json:"text,omitempty"`
	*Diff   `json:",omitempty"`
	Added   int    `json:"added,omitempty"`
	Removed int    `json:"removed,omitempty"`
	Items   []Todo `json:"items,omitempty"`
}

func encodeDisplay(d Display) json.RawMessage {
	var out displayJSON
	switch d := d.(type) {
	case Summary:
		out = displayJSON{Type: "summary", Text: string(d)}
	case Diff:
		out = displayJSON{Type: "diff", Diff: &d, Added: d.Added, Removed: d.Removed}
	case Todos:
		out = displayJSON{Type: "todos", Items: d.Items}
	default:
		return nil
	}
	b, _ := json.Marshal(out) // strings and numbers only
	return b
}

func decodeDisplay(b json.RawMessage) (Display, error) {
	if b == nil {
		return nil, nil
	}
	var in displayJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return nil, err
	}
	switch in.Type {
	case "summary":
		return Summary(in.Text), nil
	case "todos":
		return Todos{Items: in.Items}, nil
	case "diff":
		if in.Diff == nil {
			in.Diff = &Diff{}
		}
		in.Diff.Added, in.Diff.Removed = in.Added, in.Removed
		return *in.Diff, nil
	}
	return nil, fmt.Errorf("decode display: unknown type %q", in.Type)
}
