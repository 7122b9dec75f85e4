package files

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"helve/tool"
)

// notebookRead bounds a notebook: pictures in its outputs make it large.
const notebookRead = 32 << 20

// notebookImages is how many pictures of outputs are shown.
const notebookImages = 10

// A notebook is as much of the Jupyter notebook format, from version 4 on, as is shown.
type notebook struct {
	Cells    []cell `json:"cells"`
	Format   int    `json:"nbformat"`
	Metadata struct {
		Language struct {
			Name string `json:"name"`
		} `json:"language_info"`
	} `json:"metadata"`
}

// A cell is one of code, or of text.
type cell struct {
	Type    string       `json:"cell_type"`
	Source  textList     `json:"source"`
	Count   *int         `json:"execution_count"`
	Outputs []cellOutput `json:"outputs"`
}

// A cellOutput is what running a cell brought, in one of the forms that the format has for it.
type cellOutput struct {
	Type      string              `json:"output_type"`
	Text      textList            `json:"text"`  // of a stream
	Data      map[string]textList `json:"data"`  // by media type
	Name      string              `json:"ename"` // of an exception
	Value     string              `json:"evalue"`
	Traceback []string            `json:"traceback"`
}

// A textList is a string, or the lines of one. What is neither (the data of a widget) is kept as JSON.
type textList string

// UnmarshalJSON reads any value: a notebook with one odd output is still read.
func (t *textList) UnmarshalJSON(b []byte) error {
	var one string
	var many []string
	switch {
	case json.Unmarshal(b, &one) == nil:
		*t = textList(one)
	case json.Unmarshal(b, &many) == nil:
		*t = textList(strings.Join(many, ""))
	default:
		*t = textList(b)
	}
	return nil
}

// viewNotebook shows cells and outputs. A file that is called a notebook and is none is shown as the text that it is.
func viewNotebook(r *reading, ctx context.Context, f readFile, src source, _ []byte) (*content, error) {
	if src.size > notebookRead {
		return nil, nil
	}
	data := make([]byte, src.size)
	n, err := src.r.ReadAt(data, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	var nb notebook
	if json.Unmarshal(data[:n], &nb) != nil || nb.Format < 4 { // before, cells were in worksheets
		return nil, nil
	}
	text, images := nb.render()
	got, err := r.text(ctx, f, textSource(text))
	if err != nil {
		return nil, err
	}
	got.data.Type, got.data.Size = "application/x-ipynb+json", src.size
	got.data.Notes = append(got.data.Notes, "notebook, shown as cells; edit works on its JSON, which grep shows")
	got.pictures = images
	return got, nil
}

// render is the notebook as text, and the pictures of its outputs in their order.
func (nb *notebook) render() (string, []tool.Part) {
	var b strings.Builder
	var images []tool.Part
	for i, c := range nb.Cells {
		kind := c.Type
		if kind == "code" && nb.Metadata.Language.Name != "" {
			kind = nb.Metadata.Language.Name
		}
		fmt.Fprintf(&b, "--- cell %d [%s]\n%s\n", i+1, kind, strings.TrimRight(string(c.Source), "\n"))
		for _, o := range c.Outputs {
			text, pic := o.show()
			if text != "" {
				fmt.Fprintf(&b, "--- output\n%s\n", strings.TrimRight(text, "\n"))
			}
			if pic != nil && len(images) < notebookImages {
				images = append(images, pic)
				fmt.Fprintf(&b, "--- output: picture %d\n", len(images))
			}
		}
	}
	return strings.ToValidUTF8(b.String(), "\ufffd"), images
}

// show is the best form of an output: a picture, else text.
func (o *cellOutput) show() (string, tool.Part) {
	switch {
	case o.Type == "error":
		return o.Name + ": " + o.Value, nil
	case o.Text != "":
		return string(o.Text), nil
	}
	for _, mime := range []string{"image/png", "image/jpeg"} {
		plain := strings.Join(strings.Fields(string(o.Data[mime])), "") // it comes in lines
		raw, err := base64.StdEncoding.DecodeString(plain)
		if err == nil && len(raw) > 0 {
			pic, err := ShowImage(raw, mime)
			if err == nil {
				return "", pic.Image
			}
		}
	}
	// HTML is left out: what has it has plain text as well, by the format's own advice.
	for _, mime := range []string{"text/markdown", "text/plain", "text/latex", "application/json"} {
		s := o.Data[mime]
		if s != "" {
			return string(s), nil
		}
	}
	return "", nil
}
