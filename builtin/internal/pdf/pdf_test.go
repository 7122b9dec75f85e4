package pdf_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"helve/builtin/internal/pdf"
)

// file is a PDF of these objects, numbered from 1; the first is the catalogue.
func file(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	for i, o := range objects {
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	b.WriteString("trailer\n<</Root 1 0 R>>\nstartxref\n0\n%%EOF\n")
	return b.Bytes()
}

func packed(dict, s string) string {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	z.Write([]byte(s))
	z.Close()
	return fmt.Sprintf("<<%s /Filter /FlateDecode /Length %d>>\nstream\n%s\nendstream", dict, b.Len(), b.Bytes())
}

func plain(s string) string {
	return fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(s), s)
}

// onePage is a document of one page with this program.
func onePage(program string) []byte {
	return file("<</Type /Catalog /Pages 2 0 R>>", "<</Type /Pages /Kids [3 0 R] /Count 1>>",
		"<</Type /Page /Parent 2 0 R /Contents 4 0 R /Resources <</Font <</F1 5 0 R /F2 6 0 R>> /XObject <</X 8 0 R>>>>>>", program,
		"<</Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding <</BaseEncoding /WinAnsiEncoding /Differences [1 /fi /Aacute]>>>>",
		"<</Type /Font /Subtype /Type0 /ToUnicode 7 0 R>>",
		packed("", "1 begincodespacerange <0000> <ffff> endcodespacerange 2 beginbfrange <0001> <0003> <4e2d> <0010> <0011> [<0041> <d83dde00>] endbfrange 1 beginbfchar <0020> <0020> endbfchar"),
		"<</Type /XObject /Subtype /Form /Length 34>>\nstream\nBT /F1 10 Tf 0 0 Td (in a form) Tj ET\nendstream")
}

func text(t *testing.T, b []byte) string {
	t.Helper()
	pages, err := pdf.Text(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(pages, "\f")
}

func TestTextOfAPage(t *testing.T) {
	for name, c := range map[string][2]string{
		"lines":         {"BT /F1 12 Tf 72 700 Td (Hello, world) Tj 0 -14 Td (second \\(line\\)) Tj T* ET", "Hello, world\nsecond (line)"},
		"paragraphs":    {"BT /F1 12 Tf 72 700 Td (one) Tj 0 -40 Td (two) Tj ET", "one\n\ntwo"},
		"kerning":       {"BT /F1 12 Tf 72 700 Td [(W) 80 (orld) -300 (peace)] TJ ET", "World peace"},
		"own matrix":    {"q 1 0 0 1 72 700 cm BT /F1 12 Tf 1 0 0 1 0 0 Tm (up) Tj ET Q q 1 0 0 1 72 680 cm BT /F1 12 Tf (down) Tj ET Q", "up\ndown"},
		"latin":         {"BT /F1 12 Tf (caf\xe9 \\1nd \\002) Tj ET", "café find Á"},
		"unicode table": {"BT /F2 12 Tf <0001000200030020001000110020> Tj ET", "中丮丯 A😀"},
		"form":          {"/X Do", "in a form"},
		"a picture":     {"BI /W 1 /H 1 ID \x00EIx\x01 EI BT /F1 9 Tf (after) Tj ET", "after"},
		"quote":         {"BT /F1 12 Tf 14 TL (a) Tj (b) ' ET", "a\nb"},
	} {
		for how, program := range map[string]string{"plain": plain(c[0]), "packed": packed("", c[0])} {
			if got := text(t, onePage(program)); got != c[1] {
				t.Errorf("%s, %s: %q, want %q", name, how, got, c[1])
			}
		}
	}
}

func TestObjectsAreFoundInObjectStreams(t *testing.T) {
	page, pages := "<</Type/Page/Contents 4 0 R/Resources<</Font<</F1<</Subtype/Type1>>>>>>>>", "<</Type/Pages/Kids[3 0 R 3 0 R 9 0 R]>>"
	b := file("<</Type/Catalog/Pages 2 0 R>>", "null", "null", plain("BT /F1 9 Tf (found) Tj ET"))
	b = bytes.ReplaceAll(b, []byte("2 0 obj\nnull\nendobj\n"), nil)
	b = bytes.ReplaceAll(b, []byte("3 0 obj\nnull\nendobj\n"), nil)
	head := fmt.Sprintf("2 0 3 %d ", len(pages)+1)
	b = append(b, []byte("5 0 obj\n"+packed(fmt.Sprintf("/Type/ObjStm/N 2/First %d", len(head)), head+pages+" "+page)+"\nendobj\n")...)
	if got := text(t, b); got != "found" {
		t.Errorf("%q", got)
	}
}

func TestWhatIsNotReadSaysSo(t *testing.T) {
	for want, b := range map[error][]byte{
		pdf.ErrNotPDF:    []byte("hello"),
		pdf.ErrNoPages:   file("<</Type /Catalog>>"),
		pdf.ErrEncrypted: bytes.Replace(onePage(plain("")), []byte("/Root 1 0 R"), []byte("/Root 1 0 R /Encrypt 9 0 R"), 1),
	} {
		if _, err := pdf.Text(t.Context(), b); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
}

// Files that ask for terabytes, contain themselves or never close come to an end with what there is.
func TestHostileFilesEnd(t *testing.T) {
	for name, b := range map[string][]byte{
		"sizes":        bytes.Replace(onePage(plain("BT (x) Tj ET")), []byte("trailer\n<<"), []byte("trailer\n<</Size 99999999999999 /W [1 99999999999 1] /Index [0 9999999999]"), 1),
		"circle":       file("<</Type /Catalog /Pages 2 0 R>>", "<</Kids [2 0 R 1 0 R 2 0 R]>>"),
		"references":   file("2 0 R", "3 0 R", "1 0 R"),
		"nesting":      append([]byte("%PDF-1.4 1 0 obj "), bytes.Repeat([]byte("["), 5<<20)...),
		"dictionaries": append([]byte("%PDF-1.4 1 0 obj "), bytes.Repeat([]byte("<</A"), 1<<20)...),
		"trailers":     append(onePage(plain("")), bytes.Repeat([]byte("trailer<<"), 1<<19)...),
		"forms":        onePage(plain(strings.Repeat("/X Do ", 1<<20))),
		"fonts":        onePage(plain(strings.Repeat("/F2 1 Tf ", 1<<20))),
		"contents": file("<</Pages 2 0 R>>", "<</Kids [3 0 R]>>", "<</Contents ["+strings.Repeat("4 0 R ", 100_000)+"]>>",
			plain(strings.Repeat("BT (x) Tj ET ", 50_000))),
		"bomb":   onePage(packed("", strings.Repeat(" ", 100<<20))),
		"ranges": onePage(plain("BT /F2 1 Tf <0001> Tj ET") + strings.Repeat("<0000> <ffffffff> <0000> endbfrange ", 10_000)),
		"BI":     onePage(plain(strings.Repeat("BI ", 1<<20))),
	} {
		t.Run(name, func(t *testing.T) {
			pages, err := pdf.Text(t.Context(), b)
			if n := len(strings.Join(pages, "")); n > 9<<20 || err == nil && pages == nil {
				t.Errorf("%d bytes, %v", n, err)
			}
		})
	}
}

func TestADoneContextEndsTheWork(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := pdf.Text(ctx, onePage(plain("BT (x) Tj ET"))); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func FuzzText(f *testing.F) {
	f.Add(onePage(plain("BT /F1 12 Tf 72 700 Td [(W) 80 (orld) -300 (peace)] TJ ET")))
	f.Add(onePage(packed("", "BT /F2 12 Tf <0001000200030010> Tj ET")))
	f.Add([]byte("%PDF-1.4\n1 0 obj<</Type/Page/Contents 2 0 R>>2 0 obj<<>>stream\n(\\1\\(\nendstream"))
	f.Fuzz(func(t *testing.T, b []byte) {
		pages, err := pdf.Text(t.Context(), b)
		if (err == nil) != (len(pages) > 0) {
			t.Fatalf("%d pages, %v", len(pages), err)
		}
	})
}
