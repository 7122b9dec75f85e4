package wrap

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"

	"helve/tool"
)

func digestOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// DigestResult is the SHA-256 of a result in hexadecimal: of its parts, joined by line ends, and behind another line
// end of its structured content, where there is some. A text counts as it is, so that of a plain result it is the
// digest of what the model read; a picture or a sound by its file's bytes, a link by its address, a resource by its
// address, a line end and its content, and what an upstream sent in a form of its own as it was sent.
func DigestResult(r *tool.Result) string {
	h := sha256.New()
	for i, p := range r.Parts {
		if i > 0 {
			io.WriteString(h, "\n")
		}
		digestPart(h, p)
	}
	if r.Data != nil {
		io.WriteString(h, "\n")
		h.Write(r.Data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// digestPart adds a part. A hash takes everything.
func digestPart(h hash.Hash, p tool.Part) {
	switch p := p.(type) {
	case tool.Text:
		io.WriteString(h, string(p))
	case tool.Foreign:
		h.Write(p)
	case tool.Image:
		h.Write(p.Data)
	case tool.Audio:
		h.Write(p.Data)
	case tool.Link:
		io.WriteString(h, p.URI)
	case tool.Resource:
		io.WriteString(h, p.URI+"\n"+p.Text)
		h.Write(p.Blob)
	}
}
