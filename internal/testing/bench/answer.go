package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Answer is a server that costs next to nothing itself: an SDK's server behind a gateway would be most of what is
// measured. It reads no more of a message than its id and method, and answers every call with the same text of so many
// bytes. It returns when its client is gone.
func Answer(in io.Reader, out io.Writer, size int) error {
	const words = "A line of text as long as lines of text are: about seventy bytes.\\n"
	result := `{"content":[{"type":"text","text":"` + strings.Repeat(words, size/len(words)+1) + `"}]}`
	r, w := bufio.NewReaderSize(in, 1<<20), bufio.NewWriterSize(out, 1<<16)
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return nil // its client is gone
		}
		id := after(line, `"id":`)
		if id == nil {
			continue
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,`, id)
		switch method := string(after(line, `"method":`)); method {
		case `"initialize"`:
			io.WriteString(w, `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},`+
				`"serverInfo":{"name":"bench","version":"1"}}}`)
		case `"tools/list"`:
			io.WriteString(w, `"result":{"tools":[{"name":"give","description":"Gives text.",`+
				`"inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}]}}`)
		case `"tools/call"`:
			io.WriteString(w, `"result":`+result+`}`)
		default:
			io.WriteString(w, `"error":{"code":-32601,"message":"method not found"}}`)
		}
		w.WriteByte('\n')
		if r.Buffered() == 0 {
			w.Flush()
		}
	}
}

// after is the value behind a key that is outside of any string: good
// enough for messages that this program's peers write.
func after(line []byte, key string) []byte {
	_, rest, ok := bytes.Cut(line, []byte(key))
	if !ok {
		return nil
	}
	if i := bytes.IndexAny(rest, ",}"); i >= 0 {
		return rest[:i]
	}
	return nil
}
