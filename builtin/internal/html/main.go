package html

import (
	"regexp"
	"strings"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// How the main content is told from what stands around it. A paragraph counts for more the longer it is and the more
// commas it has, as prose has them; a block that is mostly links counts for nothing.
const (
	minArticle   = 250 // characters: less is a teaser or a mistake, and the whole page is shown
	minParagraph = 25
	minScore     = 15.0
)

// around are the words in classes and ids of what is no content. Words that also name content win.
var around = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|[-_ ])(nav|navbar|menu|sidebar|footer|breadcrumbs?|cookies?|consent|banner|` +
		`comments?|share|sharing|social|promo|related|newsletter|advert\w*|ads?|popup|modal|skip-?link)([-_ ]|$)`)
})

var content = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)article|content|main|post|body|entry|text|markdown|doc`)
})

// mainContent is the part of a page that it is about, nil where nothing stands out: what the page itself marks, else
// the block with the most prose.
func mainContent(doc *html.Node) *html.Node {
	if n := marked(doc); n != nil {
		return n
	}
	best, score := densest(doc)
	if best == nil || score < minScore || textLength(best) < minArticle {
		return nil
	}
	return best
}

// marked is the only main element, or the only article, if it has enough to say.
func marked(doc *html.Node) *html.Node {
	for _, is := range []func(*html.Node) bool{
		func(n *html.Node) bool {
			return n.DataAtom == atom.Main || attr(n, "role") == "main"
		},
		func(n *html.Node) bool { return n.DataAtom == atom.Article },
	} {
		var found []*html.Node
		for n := range doc.Descendants() {
			if n.Type == html.ElementNode && is(n) {
				found = append(found, n)
			}
		}
		// Several articles are a list of teasers: none of them is what the page is about.
		if len(found) == 1 && textLength(found[0]) >= minArticle {
			return found[0]
		}
	}
	return nil
}

// densest is the block whose paragraphs weigh most; of equal ones the first.
func densest(doc *html.Node) (best *html.Node, most float64) {
	scores := map[*html.Node]float64{}
	var order []*html.Node
	add := func(n *html.Node, points float64) {
		if n == nil || n.Type != html.ElementNode {
			return
		}
		if _, known := scores[n]; !known {
			order = append(order, n)
		}
		scores[n] += points
	}
	for n := range doc.Descendants() {
		switch n.DataAtom {
		case atom.P, atom.Pre, atom.Blockquote, atom.Li, atom.Td:
			points := weight(n)
			if points > 0 {
				// An article's paragraphs are often wrapped once more: what is around that speaks half.
				add(n.Parent, points)
				if n.Parent != nil {
					add(n.Parent.Parent, points/2)
				}
			}
		}
	}
	for _, n := range order { // not over the map: of equal ones the first in the page wins
		score := scores[n] * (1 - linkShare(n))
		if score > most {
			best, most = n, score
		}
	}
	return best, most
}

// weight is what a paragraph speaks for the block around it. An item of a list that is mostly a link belongs to a
// menu, and speaks for nothing; more than ten commas and three hundred characters add nothing, so that one endless
// paragraph does not outweigh an article.
func weight(n *html.Node) float64 {
	if n.DataAtom == atom.Li && linkShare(n) > 0.5 {
		return 0
	}
	size, commas := 0, 0
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			size += len(strings.TrimSpace(d.Data))
			commas += strings.Count(d.Data, ",")
		}
	}
	if size < minParagraph {
		return 0
	}
	return 1 + float64(min(commas, 10)) + min(float64(size)/100, 3)
}

// textLength is how many bytes of text stand below a node.
func textLength(n *html.Node) int {
	out := 0
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			out += len(strings.TrimSpace(d.Data))
		}
	}
	return out
}

// linkShare is how much of a node's text are links.
func linkShare(n *html.Node) float64 {
	links, all := 0, textLength(n)
	if all == 0 {
		return 0
	}
	for d := range n.Descendants() {
		if d.DataAtom == atom.A {
			links += textLength(d)
		}
	}
	return min(1, float64(links)/float64(all))
}

// aside tells what stands around the content, by its element, its role or its class.
func aside(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Nav, atom.Footer, atom.Aside:
		return true
	case atom.Body, atom.Html, atom.Main, atom.Article:
		return false
	}
	switch attr(n, "role") {
	case "navigation", "banner", "contentinfo", "search", "complementary":
		return true
	}
	marks := attr(n, "class") + " " + attr(n, "id")
	// A longer list is made by a program, and matches every word some time.
	return len(marks) < 1000 && around().MatchString(marks) && !content().MatchString(marks)
}

// strip removes from a page what stands around its content.
func strip(doc *html.Node) {
	var gone []*html.Node
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && (dropped[n.DataAtom] && n.DataAtom != atom.Head || aside(n)) {
			gone = append(gone, n)
		}
	}
	for _, n := range gone {
		if n.Parent != nil {
			n.Parent.RemoveChild(n)
		}
	}
}
