package files

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"helve/builtin/internal/pdf"
	"helve/builtin/internal/render"
	"helve/tool"
)

const (
	// pdfRead is the largest PDF that is read: all of it is in memory meanwhile.
	pdfRead = 64 << 20
	// pdfTime ends the work on one PDF: a book takes a second.
	pdfTime = 20 * time.Second
)

// IsPDF wants the mark at the very start: a text about PDF has it elsewhere.
func IsPDF(head []byte) bool { return bytes.HasPrefix(head, []byte("%PDF-")) }

// viewPDF shows a PDF's text as lines, page after page.
func viewPDF(r *reading, ctx context.Context, f readFile, src source, _ []byte) (*content, error) {
	if src.size > pdfRead {
		return nil, tool.Errorf(tool.Validation, "%s: a PDF of %s is larger than is read (%s)",
			f.shown(), render.Size(src.size), render.Size(pdfRead))
	}
	data := make([]byte, src.size)
	n, err := src.r.ReadAt(data, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	text, err := PDFText(ctx, data[:n])
	if err != nil {
		return nil, tool.Errorf(tool.Execution, "%s: %w", f.shown(), err)
	}
	got, err := r.text(ctx, f, textSource(text))
	if err != nil {
		return nil, err
	}
	got.data.Type, got.data.Size = "application/pdf", src.size
	return got, nil
}

// PDFText is the text of a PDF, each page under a line with its number. Pages without text are told from a file
// without any.
func PDFText(ctx context.Context, data []byte) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, pdfTime)
	defer cancel()
	pages, err := pdf.Text(ctx, data)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	empty := true
	for i, p := range pages {
		empty = empty && p == ""
		fmt.Fprintf(&b, "--- page %d of %d\n%s\n", i+1, len(pages), p)
	}
	if empty {
		b.WriteString("(no text: the pages are pictures, or drawn in a way that is not read)\n")
	}
	return b.String(), nil
}
