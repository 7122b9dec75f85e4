// Package redirect follows redirects of HTTP within one server. net/http takes Authorization and cookies away from a
// request that goes on to another host (net/http.Client), and nothing else: a key in a header of another name, as
// X-Api-Key, and the body of a 307 would go with it.
package redirect

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// most is how many redirects are followed.
const most = 5

// ErrElsewhere says that a server sends a request on to another one, or in a circle.
var ErrElsewhere = errors.New("a redirect that is not followed")

// Origin is the scheme and the host of a URL, in small letters; "": it is no URL.
func Origin(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}

// Within is for http.Client.CheckRedirect. Its errors are ErrElsewhere.
func Within(r *http.Request, via []*http.Request) error {
	if len(via) > most {
		return fmt.Errorf("%w: there are more than %d", ErrElsewhere, most)
	}
	to, from := Origin(r.URL.String()), Origin(via[0].URL.String())
	if to != from {
		return fmt.Errorf("%w: from %s to %s, which is another server", ErrElsewhere, from, to)
	}
	return nil
}
