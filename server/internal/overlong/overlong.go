// Package overlong refuses requests that have more bytes than are read, so that their clients hear why.
package overlong

import (
	"fmt"
	"io"
	"net/http"
)

// maxUnread bounds what is read of such a request, after its answer: a client that still sends when the connection
// ends sees no answer, only a broken connection. The time for the request bounds it, too.
const maxUnread = 256 << 20

// Announced tells that a request says itself that it has more bytes than the bound.
func Announced(q *http.Request, most int64) bool { return q.ContentLength > most }

// Refuse answers a request that has more than so many bytes, and ends its connection. fail writes the answer, with the
// status and the words given. Whoever calls it has set a time for the request.
func Refuse(
	w http.ResponseWriter, q *http.Request, most int64, fail func(w http.ResponseWriter, status int, text string),
) {
	w.Header().Set("Connection", "close")
	const text = "the request has more than %d bytes, the most that is read: send less at a time"
	fail(w, http.StatusRequestEntityTooLarge, fmt.Sprintf(text, most))
	if Announced(q, most) && q.Header.Get("Expect") != "" { // its client waits for a word of ours before it sends
		return
	}
	http.NewResponseController(w).Flush() // not every ResponseWriter can; the answer comes later then
	io.CopyN(io.Discard, q.Body, maxUnread)
}
