package html

import (
	"strconv"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// maxScanned bounds what the converter looks through for the ends of brackets, each from its own place: a tenth of
	// a second.
	maxScanned = 100 << 20
	// maxCells is how many cells a table may have that is written as one, those included that it is filled up with: a
	// hundred columns of two thousand rows.
	maxCells = 200_000
	// maxSpan is the widest and highest cell that keeps its size; beyond are headings of a whole table.
	maxSpan = 100
)

// blocks end a line, and with it the search for a bracket's end.
var blocks = map[atom.Atom]bool{
	atom.P:          true,
	atom.Div:        true,
	atom.Li:         true,
	atom.Td:         true,
	atom.Th:         true,
	atom.Tr:         true,
	atom.Br:         true,
	atom.Pre:        true,
	atom.H1:         true,
	atom.H2:         true,
	atom.H3:         true,
	atom.H4:         true,
	atom.H5:         true,
	atom.H6:         true,
	atom.Section:    true,
	atom.Article:    true,
	atom.Blockquote: true,
	atom.Dd:         true,
	atom.Dt:         true,
}

// scanned is how many characters the converter goes through for all opening brackets together.
func scanned(doc *html.Node) int64 {
	// Each bracket is looked at from its place to the end of its block. With the places added up, one pass tells
	// what all of them together take.
	var total, open, starts, at int64
	end := func() { total, open, starts = total+open*at-starts, 0, 0 }
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && blocks[n.DataAtom] {
			end()
		}
		if n.Type != html.TextNode {
			continue
		}
		for i := range len(n.Data) {
			switch n.Data[i] {
			case '[':
				open, starts = open+1, starts+at
			case ']':
				end()
			}
			at++
		}
	}
	end()
	return total
}

// tame has every table that would be filled up to more than it could ever say become plain text.
func tame(doc *html.Node) {
	var tables []*html.Node // outer ones first: where one is flattened, those inside have lost their rows as well
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Table {
			tables = append(tables, n)
		}
	}
	for _, t := range tables {
		if cells(t) > maxCells {
			flatten(t)
		}
	}
}

// cells is how many a table has when every row is filled up to the widest. Spans beyond maxSpan are taken away on the
// way. Tables inside count as a part of it.
func cells(table *html.Node) int64 {
	var rows, row, widest, high int64
	for n := range table.Descendants() {
		switch n.DataAtom {
		case atom.Tr:
			rows, row = rows+max(1, high), 0
			high = 0
		case atom.Td, atom.Th:
			row += span(n, "colspan")
			widest, high = max(widest, row), max(high, span(n, "rowspan")-1)
		}
	}
	return (rows + high) * widest
}

// span is how many columns or rows a cell takes; one that claims too many takes one.
func span(cell *html.Node, key string) int64 {
	for i, a := range cell.Attr {
		if a.Key != key {
			continue
		}
		n, err := strconv.ParseInt(a.Val, 10, 64)
		if err == nil && n >= 1 && n <= maxSpan {
			return n
		}
		cell.Attr = append(cell.Attr[:i], cell.Attr[i+1:]...) // the converter would believe it
		return 1
	}
	return 1
}

// flatten makes blocks of a table's parts.
func flatten(table *html.Node) {
	for n := range table.Descendants() {
		switch n.DataAtom {
		case atom.Table, atom.Thead, atom.Tbody, atom.Tfoot, atom.Tr, atom.Td, atom.Th,
			atom.Caption, atom.Colgroup, atom.Col:
			n.DataAtom, n.Data = atom.Div, "div"
		}
	}
	table.DataAtom, table.Data = atom.Div, "div"
}
