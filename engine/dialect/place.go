package dialect

import (
	"net/url"
	"strconv"
	"strings"
)

// The two characters that a JSON pointer escapes (RFC 6901).
var (
	escaper   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// A place is where in a schema something stands. It is written out only when something is lost there.
type place struct {
	up  *place
	key string
}

// to is the member of that name below, item the element of that number. nil is the root.
func (p *place) to(key string) *place { return &place{p, key} }
func (p *place) item(i int) *place    { return &place{p, strconv.Itoa(i)} }

// String is the JSON pointer.
func (p *place) String() string {
	if p == nil {
		return ""
	}
	return p.up.String() + "/" + escaper.Replace(p.key)
}

// unescape decodes one step of a pointer that stands in a URI.
func unescape(key string) string {
	if strings.IndexByte(key, '%') >= 0 {
		if s, err := url.PathUnescape(key); err == nil {
			key = s
		}
	}
	return unescaper.Replace(key)
}

// number is the value of a bound, as near as float64 comes.
func number(raw string) float64 {
	f, _ := strconv.ParseFloat(raw, 64) // 0 for what is no number: it narrows nothing
	return f
}
