package html

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// scannedForCharset is how far into a page its own word about its encoding is looked for, as browsers do.
const scannedForCharset = 1024

// Charset is the label of the encoding that a page names itself, in a meta element near its beginning, or "".
func Charset(page []byte) string {
	z := html.NewTokenizer(bytes.NewReader(page[:min(len(page), scannedForCharset)]))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			if string(name) != "meta" {
				continue
			}
			if label := metaCharset(z); label != "" {
				return label
			}
		}
	}
}

// metaCharset is what one meta element says: charset="…", or http-equiv="Content-Type" with content="…; charset=…".
func metaCharset(z *html.Tokenizer) (label string) {
	var content string
	isType := false
	for more := true; more; {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "charset":
			return meant(string(value))
		case "http-equiv":
			isType = strings.EqualFold(string(value), "content-type")
		case "content":
			content = string(value)
		}
	}
	if !isType {
		return ""
	}
	_, label, _ = strings.Cut(strings.ToLower(content), "charset")
	label, found := strings.CutPrefix(strings.TrimLeft(label, blanks), "=")
	if !found {
		return ""
	}
	label = strings.TrimLeft(label, blanks+`"'`)
	if end := strings.IndexAny(label, blanks+`;"'`); end >= 0 {
		label = label[:end]
	}
	return meant(label)
}

const blanks = " \t\n\f\r"

// meant is the label of what a page can be that says so in ASCII: such a page is not UTF-16.
func meant(label string) string {
	switch strings.ToLower(label) {
	case "utf-16", "utf-16le", "utf-16be":
		return "utf-8"
	}
	return label
}
