package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"helve/builtin/internal/charset"
	"helve/builtin/internal/files"
	"helve/builtin/internal/html"
	filetext "helve/builtin/internal/text"
	"helve/builtin/internal/web"
	"helve/tool"
)

// A document is a page as text, or as a picture.
type document struct {
	title, text string
	image       []tool.Part
}

var errNoText = errors.New("not text")

// readPage makes text of what a server sent: HTML as Markdown, what is text as it is.
func readPage(ctx context.Context, p *web.Page) (*document, error) {
	kind, _, err := mime.ParseMediaType(p.Type)
	if err != nil || kind == "" || kind == "application/octet-stream" {
		kind, _, _ = strings.Cut(http.DetectContentType(p.Body), ";")
	}
	switch { // pictures and PDF by their bytes: servers often say that they are something else
	case files.ImageType(p.Body) != "":
		pic, err := files.ShowImage(p.Body, files.ImageType(p.Body))
		if err != nil {
			return nil, err
		}
		return &document{image: []tool.Part{pic.Image}}, nil
	case files.IsPDF(p.Body):
		text, err := files.PDFText(ctx, p.Body)
		return &document{text: text}, err
	case kind == "text/html" || kind == "application/xhtml+xml":
		return readHTML(p)
	case strings.HasPrefix(kind, "text/"), isText(kind):
		text, err := pageText(p.Body, p.Type)
		return &document{text: text}, err
	}
	kind = files.FileType(p.Body)
	if strings.HasPrefix(kind, "text/") { // a type nobody knows, and content that everybody can read
		text, err := pageText(p.Body, p.Type)
		return &document{text: text}, err
	}
	return nil, fmt.Errorf("%w but %s (%d bytes)", errNoText, kind, len(p.Body))
}

// isText tells the types of application/… that are text.
func isText(kind string) bool {
	const known = "json xml javascript ecmascript yaml x-yaml toml x-sh x-ndjson sql graphql rtf"
	for end := range strings.FieldsSeq(known) {
		if kind == "application/"+end || strings.HasSuffix(kind, "+"+end) {
			return true
		}
	}
	return false
}

// readHTML decodes a page as its server or itself says, or as UTF-8 where neither is sure and it is valid.
func readHTML(p *web.Page) (*document, error) {
	base, err := url.Parse(p.URL)
	if err != nil {
		return nil, err
	}
	body := p.Body
	if codec := pageCodec(p); codec != nil {
		body = codec.Decode(body)
	}
	page, err := html.Markdown([]byte(strings.ToValidUTF8(string(body), "\ufffd")), base)
	if err != nil {
		return nil, err
	}
	return &document{title: page.Title, text: withTitle(page)}, nil
}

// pageCodec is how the bytes of a page are read; nil: as UTF-8. What its first bytes or its server say is certain.
// What it says itself counts less than that it is valid UTF-8, which is hardly ever by chance.
func pageCodec(p *web.Page) filetext.Codec {
	for _, m := range marks {
		if bytes.HasPrefix(p.Body, []byte(m.mark)) {
			codec, _ := filetext.Labelled(m.label)
			return codec
		}
	}
	_, params, err := mime.ParseMediaType(p.Type)
	if err == nil {
		if codec, _ := filetext.Labelled(params["charset"]); codec != nil {
			return codec
		}
	}
	if utf8.Valid(p.Body) {
		return nil
	}
	if codec, _ := filetext.Labelled(html.Charset(p.Body)); codec != nil {
		return codec
	}
	return charset.Windows1252
}

// marks are the byte order marks.
var marks = [...]struct{ mark, label string }{
	{"\xfe\xff", "utf-16be"},
	{"\xff\xfe", "utf-16le"},
	{"\xef\xbb\xbf", "utf-8"},
}

// withTitle heads a page with its title, unless it begins with a heading.
func withTitle(p *html.Page) string {
	if p.Title == "" || strings.HasPrefix(p.Markdown, "# ") {
		return p.Markdown
	}
	return "# " + p.Title + "\n\n" + p.Markdown
}

// pageText decodes a text: as its sender says, or as it looks where that is wrong.
func pageText(body []byte, contentType string) (string, error) {
	if _, params, err := mime.ParseMediaType(contentType); err == nil && params["charset"] != "" {
		enc, name := filetext.Labelled(params["charset"])
		if enc != nil && (name != "utf-8" || utf8.Valid(body)) {
			return string(enc.Decode(body)), nil
		}
	}
	enc, err := filetext.Detect(body)
	if err != nil {
		return "", errNoText
	}
	return enc.Show(body), nil
}
