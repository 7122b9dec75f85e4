package files

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"

	"helve/builtin/internal/render"
	"helve/tool"
)

// sniffed is how much of a file tells what it is.
const sniffed = 4 << 10

// hexShown is how much of a binary file is shown: enough for its head.
const hexShown = 128

// A view shows a file that is not read as lines of text. No content says that the file is not what it seemed: it is
// shown as text.
type view func(r *reading, ctx context.Context, f readFile, src source, head []byte) (*content, error)

// viewer chooses by content, by name only where content does not tell; nil: as text, or as bytes.
func viewer(name string, head []byte) view {
	switch {
	case ImageType(head) != "":
		return viewImage
	case IsPDF(head):
		return viewPDF
	case strings.HasSuffix(strings.ToLower(name), ".ipynb"):
		return viewNotebook
	}
	return nil
}

// binary brings the type and the first bytes of a file that is no text; to a program all of them.
func binary(r *reading, f readFile, src source, head []byte) (*content, error) {
	d := r.bare(f, FileType(head), src.size)
	brought := head[:min(len(head), hexShown)]
	if r.call.Whole > 0 {
		if base64.StdEncoding.EncodedLen(int(min(src.size, tool.MaxWhole))) > r.room {
			return nil, r.tooLarge()
		}
		brought = make([]byte, src.size)
		n, err := src.r.ReadAt(brought, 0)
		if err != nil && err != io.EOF {
			return nil, err
		}
		brought = brought[:n] // it may have become shorter
	}
	if int64(len(brought)) < src.size {
		d.Extent = render.ExtentOf("it is no text: the first bytes only")
	}
	d.Bytes = base64.StdEncoding.EncodeToString(brought)
	if r.call.Whole > 0 {
		r.room -= len(d.Bytes)
	}
	return &content{data: d, summary: fmt.Sprintf("%s is binary (%s)", f.shown(), d.Type)}, nil
}

// bare is a file without lines, of which none can be chosen.
func (r *reading) bare(f readFile, kind string, size int64) readOne {
	d := readOne{
		Path:   f.asked,
		Lines:  []string{},
		Type:   kind,
		Size:   size,
		Extent: render.ExtentOf(),
	}
	if in := r.in; in.StartLine > 0 || in.EndLine > 0 || in.Offset > 0 {
		d.Notes = append(d.Notes, "ignored: start_line, end_line and offset choose lines, and the file has none")
	}
	return d
}

// magics are types that net/http does not know and that lie about in workspaces.
var magics = []struct{ head, kind string }{
	{"\x7fELF", "application/x-executable"},
	{"MZ", "application/x-msdownload"},
	{"\xcf\xfa\xed\xfe", "application/x-mach-binary"},
	{"\xca\xfe\xba\xbe", "application/java-vm"},
	{"SQLite format 3\x00", "application/vnd.sqlite3"},
	{"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"},
	{"\xfd7zXZ\x00", "application/x-xz"},
	{"\x28\xb5\x2f\xfd", "application/zstd"},
	{"BZh", "application/x-bzip2"},
	{"!<arch>\n", "application/x-archive"},
}

// FileType is the media type by the first bytes, application/octet-stream for none that is known.
func FileType(head []byte) string {
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.head)) {
			return m.kind
		}
	}
	kind, _, _ := strings.Cut(http.DetectContentType(head), ";")
	return kind
}
