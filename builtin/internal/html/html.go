// Package html makes clean Markdown of web pages: the main content where a page has one, links absolute, scripts and
// forms left out.
package html

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Bounds of the work on one page. Finding the main content takes time that grows faster than the page.
const (
	maxNodes    = 200_000
	maxArticles = 60_000 // nodes of a page whose main content is looked for
)

// A Page is a web page as text.
type Page struct {
	Title    string // of the title element, on one line; "" without one
	Markdown string // CommonMark with tables, without blank lines at its ends
	Article  bool   // Markdown is the main content only: menus and the like were left out
}

// Markdown converts a page whose bytes are UTF-8. base makes its links absolute. A page that is nested too deep, has
// too many elements or too many open brackets comes as its bare words, one piece of text a line and without a title. An
// error is one of the converter, for which no page is known.
func Markdown(page []byte, base *url.URL) (out *Page, err error) {
	defer func() { // the libraries are fuzzed by their makers, not proved
		if p := recover(); p != nil {
			out, err = nil, fmt.Errorf("convert page: %v", p)
		}
	}()
	doc, err := html.Parse(bytes.NewReader(page))
	nodes := 0
	if err == nil { // html.Parse gives up on pages that are nested too deep
		nodes = count(doc)
	}
	if err != nil || nodes > maxNodes || scanned(doc) > maxScanned {
		return words(page), nil
	}
	tame(doc)
	base = baseOf(doc, base) // before clean, which takes the head away
	out = &Page{Title: title(doc)}
	if textLength(doc) >= minArticle { // what stands around a short page is all there is
		strip(doc)
	}
	if nodes <= maxArticles {
		if n := mainContent(doc); n != nil {
			out.Article = true
			return out, out.convert(n, base)
		}
	}
	return out, out.convert(doc, base)
}

// convert writes the Markdown of a part of the page, which it changes.
func (p *Page) convert(n *html.Node, base *url.URL) error {
	clean(n, base)
	b, err := markdown().ConvertNode(n)
	if err != nil {
		return fmt.Errorf("convert page: %w", err)
	}
	p.Markdown = strings.TrimSpace(string(b))
	return nil
}

// words is the text of a page without any structure.
func words(page []byte) *Page {
	var b strings.Builder
	z := html.NewTokenizer(bytes.NewReader(page))
	skip := atom.Atom(0) // the element whose text is being left out; one of its kind inside ends it early, and then too much is shown, not too little
	for {
		switch z.Next() {
		case html.ErrorToken:
			return &Page{Markdown: strings.TrimSpace(b.String())}
		case html.StartTagToken:
			name, _ := z.TagName()
			if skip == 0 && dropped[atom.Lookup(name)] {
				skip = atom.Lookup(name)
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if atom.Lookup(name) == skip {
				skip = 0
			}
		case html.TextToken:
			fields := strings.Fields(string(z.Text()))
			if skip == 0 && len(fields) > 0 {
				b.WriteString(strings.Join(fields, " ") + "\n")
			}
		}
	}
}

// markdown is a converter for CommonMark with tables. Columns are not lined up with blanks: one long cell would fill
// every row of its column.
func markdown() *converter.Converter {
	tables := table.NewTablePlugin(table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal))
	plugins := converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), tables)
	return converter.NewConverter(plugins)
}

// count is how many nodes stand below one.
func count(n *html.Node) int {
	out := 0
	for range n.Descendants() {
		out++
	}
	return out
}

// baseOf is what links are relative to: what the page says of itself, if that is a place on the web, else where it
// was found.
func baseOf(doc *html.Node, base *url.URL) *url.URL {
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Base {
			u, err := base.Parse(attr(n, "href"))
			if err == nil && (u.Scheme == "http" || u.Scheme == "https") {
				return u // only the first counts
			}
		}
	}
	return base
}

// title is the text of the first title element on one line; "" if there is none.
func title(doc *html.Node) string {
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Title && n.FirstChild != nil {
			return strings.Join(strings.Fields(n.FirstChild.Data), " ")
		}
	}
	return ""
}

// attr is the value of an attribute; "" also where there is none.
func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// dropped are elements that are no text for a reader.
var dropped = map[atom.Atom]bool{
	atom.Script:   true,
	atom.Style:    true,
	atom.Noscript: true,
	atom.Template: true,
	atom.Iframe:   true,
	atom.Object:   true,
	atom.Embed:    true,
	atom.Svg:      true,
	atom.Button:   true,
	atom.Input:    true,
	atom.Select:   true,
	atom.Textarea: true,
	atom.Head:     true,
	atom.Canvas:   true,
}

// clean removes what is no text, and makes links absolute.
func clean(root *html.Node, base *url.URL) {
	var gone []*html.Node // removed afterwards: a node that is gone has no next one to go on from
	for n := range root.Descendants() {
		switch {
		case n.Type == html.CommentNode, dropped[n.DataAtom] && n.Type == html.ElementNode, hidden(n):
			gone = append(gone, n)
		case n.DataAtom == atom.A:
			absolute(n, "href", base)
		case n.DataAtom == atom.Img:
			absolute(n, "src", base)
		}
	}
	for _, n := range gone {
		if n.Parent != nil {
			n.Parent.RemoveChild(n)
		}
	}
}

// hidden elements are not seen by a person, so a model should not read them either.
func hidden(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "style":
			s := strings.ReplaceAll(strings.ToLower(a.Val), " ", "")
			return strings.Contains(s, "display:none") || strings.Contains(s, "visibility:hidden")
		}
	}
	return false
}

// absolute resolves a link; of one that is no place on the web only the words stay.
func absolute(n *html.Node, key string, base *url.URL) {
	for i, a := range n.Attr {
		if a.Key != key {
			continue
		}
		u, err := base.Parse(strings.TrimSpace(a.Val))
		if err == nil && (u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "mailto") {
			n.Attr[i].Val = u.String()
			return
		}
		n.Attr = append(n.Attr[:i], n.Attr[i+1:]...)
		break
	}
	if n.DataAtom == atom.A { // no link any more, only its words
		n.DataAtom, n.Data = atom.Span, "span"
	}
}
