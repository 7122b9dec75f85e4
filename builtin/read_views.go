package builtin

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"

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
	case imageType(head) != "":
		return viewImage
	case isPDF(head):
		return viewPDF
	case strings.HasSuffix(strings.ToLower(name), ".ipynb"):
		return viewNotebook
	}
	return nil
}

// binary shows the type and the first bytes of a file that is no text.
func binary(r *reading, f readFile, src source, head []byte) *content {
	kind := fileType(head)
	shown := head[:min(len(head), hexShown)]
	dump := strings.TrimSuffix(hex.Dump(shown), "\n")
	text := fmt.Sprintf("Binary file: %s (%s, %d bytes). The first %d bytes:\n%s",
		f.shown(), kind, src.size, len(shown), dump)
	m := readMeta{
		FilePath: f.asked,
		Total:    new(int64),
		Type:     kind,
		Size:     src.size,
	}
	parts := append([]tool.Part{tool.Text(text)}, r.in.withoutLines()...)
	return &content{parts, m, fmt.Sprintf("%s is binary (%s)", f.shown(), kind)}
}

// withoutLines says of a file that has no lines that none can be chosen.
func (in readIn) withoutLines() []tool.Part {
	if in.StartLine == 0 && in.EndLine == 0 && in.Offset == 0 {
		return nil
	}
	return []tool.Part{tool.Text("[ignored: start_line, end_line and offset choose lines, and the file has none]")}
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

// fileType is the media type by the first bytes, application/octet-stream for none that is known.
func fileType(head []byte) string {
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.head)) {
			return m.kind
		}
	}
	kind, _, _ := strings.Cut(http.DetectContentType(head), ";")
	return kind
}
