package builtin_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"

	"helve/builtin"
	"helve/tool"
)

// noise is a picture that does not compress.
func noise(w, h int) []byte {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		m.Pix[i] = byte(r.Uint32())
		if i%4 == 3 {
			m.Pix[i] = 255
		}
	}
	var b bytes.Buffer
	png.Encode(&b, m)
	return b.Bytes()
}

// R2.5
func TestReadShowsImages(t *testing.T) {
	h := open(t, builtin.Options{})
	small := noise(20, 10)
	h.put("small.dat", string(small)) // the content tells, not the name
	r := h.call("read", args{"file_path": "small.dat"})
	if pic, ok := r.Parts[0].(tool.Image); !ok || pic.MIME != "image/png" || !bytes.Equal(pic.Data, small) || len(r.Parts) != 1 {
		t.Errorf("%v", r.Text())
	}
	h.put("large.png", string(noise(1400, 1000)))
	r = h.call("read", args{"file_path": "large.png"})
	pic, ok := r.Parts[0].(tool.Image)
	if !ok || len(pic.Data) > 3_750_000 || !strings.HasPrefix(r.Text(), "[large.png: encoded anew as image/jpeg]") {
		t.Errorf("%d bytes, %q", len(pic.Data), r.Text())
	}
	if c, _, err := image.DecodeConfig(bytes.NewReader(pic.Data)); err != nil || c.Width > 2000 || c.Width*1000 != c.Height*1400 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestAnImageThatClaimsMoreThanItHasIsRefused(t *testing.T) {
	h := open(t, builtin.Options{})
	m := image.NewPaletted(image.Rect(0, 0, 9000, 9000), color.Palette{color.Black, color.White})
	var b bytes.Buffer
	png.Encode(&b, m)
	h.put("bomb.png", b.String())
	h.put("broken.png", "\x89PNG\r\n\x1a\nnothing more")
	for _, f := range []string{"bomb.png", "broken.png"} {
		if r := h.call("read", args{"file_path": f}); code(r) != tool.Execution {
			t.Errorf("%s: %s %q", f, code(r), r.Text())
		}
	}
}

func TestReadShowsNotebooksAsCells(t *testing.T) {
	h := open(t, builtin.Options{})
	nb := map[string]any{"nbformat": 4, "metadata": map[string]any{"language_info": map[string]any{"name": "python"}}, "cells": []any{
		map[string]any{"cell_type": "markdown", "source": []string{"# Title\n", "text"}},
		map[string]any{"cell_type": "code", "source": "print(1)", "outputs": []any{
			map[string]any{"output_type": "stream", "text": []string{"1\n"}},
			map[string]any{"output_type": "display_data", "data": map[string]any{"text/plain": "<Figure>", "image/png": base64.StdEncoding.EncodeToString(noise(4, 4))}},
			map[string]any{"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": []string{"\x1b[31mlong"}},
		}},
	}}
	b, err := json.Marshal(nb)
	if err != nil {
		t.Fatal(err)
	}
	h.put("a.ipynb", string(b))
	h.put("b.ipynb", "no notebook\n")
	r := h.call("read", args{"file_path": "a.ipynb"})
	want := `     1|--- cell 1 [markdown]
     2|# Title
     3|text
     4|--- cell 2 [python]
     5|print(1)
     6|--- output
     7|1
     8|--- output: picture 1
     9|--- output
    10|ValueError: no
[notebook, shown as cells; edit works on its JSON, which grep shows]`
	if r.Text() != want {
		t.Errorf("got\n%s\nwant\n%s", r.Text(), want)
	}
	if _, ok := r.Parts[len(r.Parts)-1].(tool.Image); !ok {
		t.Error("the picture is missing")
	}
	if r := h.call("read", args{"file_path": "b.ipynb"}); r.Text() != "     1|no notebook" {
		t.Errorf("%q", r.Text())
	}
}

func TestReadNamesTheEncoding(t *testing.T) {
	h := open(t, builtin.Options{})
	const zh, ja = "这是一个用来测试编码识别的文件，里面有足够多的汉字。\n", "これは文字コードの判定を試すためのファイルです。漢字とかなを含みます。\n"
	gbk, _ := simplifiedchinese.GBK.NewEncoder().String(zh)
	sjis, _ := japanese.ShiftJIS.NewEncoder().String(ja)
	for name, c := range map[string][3]string{
		"gbk":    {gbk, zh, "GBK"},
		"sjis":   {sjis, ja, "Shift_JIS"},
		"utf16":  {"\xff\xfea\x00\xe9\x00\n\x00", "aé\n", "UTF-16LE with BOM"},
		"latin1": {"caf\xe9 au lait, d\xe9j\xe0 vu\n", "café au lait, déjà vu\n", "ISO-8859-1"},
		"mark":   {"\xef\xbb\xbfé\n", "é\n", "UTF-8 with BOM"},
	} {
		h.put(name, c[0])
		r := h.call("read", args{"file_path": name})
		if want := "     1|" + strings.TrimSuffix(c[1], "\n") + "\n[encoding " + c[2] + "]"; r.Text() != want {
			t.Errorf("%s: %q, want %q", name, r.Text(), want)
		}
		if got := meta[struct{ Encoding string }](t, r).Encoding; got != c[2] {
			t.Errorf("%s: metadata %q", name, got)
		}
	}
}

func TestNamesThatLookAlikeAreDifferentFiles(t *testing.T) {
	h := open(t, builtin.Options{})
	nfc, nfd := "caf\u00e9.txt", "cafe\u0301.txt"
	h.put(nfc, "composed\n")
	h.put(nfd, "decomposed\n")
	if h.get(nfc) != "composed\n" {
		t.Skip("this file system takes both for one")
	}
	h.put("new\nline.txt", "odd\n")
	for name, want := range map[string]string{nfc: "composed", nfd: "decomposed", "new\nline.txt": "odd"} {
		if r := h.call("read", args{"file_path": name}); r.Text() != "     1|"+want {
			t.Errorf("%q: %q", name, r.Text())
		}
		if r := h.call("edit", args{"file_path": name, "old_string": want, "new_string": "done"}); r.Err != nil || h.get(name) != "done\n" {
			t.Errorf("%q: %q", name, r.Text())
		}
	}
}

func TestALargeSparseFileIsReadInAWindow(t *testing.T) {
	h := open(t, builtin.Options{})
	for name, head := range map[string]string{"early": "first\nsecond\n", "late": strings.Repeat("a line of text\n", 10_000)} {
		p := h.put(name, head)
		if err := os.Truncate(p, 10<<30); err != nil {
			t.Skip(err)
		}
		r := h.call("read", args{"file_path": name})
		if r.Err != nil || len(r.Text()) > 64<<10 || (name == "early") != strings.HasPrefix(r.Text(), "Binary file: early") {
			t.Errorf("%s: %.200q", name, r.Text())
		}
		if r := h.call("edit", args{"file_path": name, "old_string": "first", "new_string": "x"}); code(r) != tool.Validation || !strings.Contains(r.Text(), "larger than") {
			t.Errorf("%.200q", r.Text())
		}
	}
	if r := h.call("read", args{"file_path": "late", "offset": 9_999, "limit": 5}); r.Err != nil || !strings.HasPrefix(r.Text(), " 10000|a line of text\n 10001|") {
		t.Errorf("%.200q", r.Text())
	}
}

func TestReadShowsThePagesOfAPDF(t *testing.T) {
	h := open(t, builtin.Options{})
	const program = "BT /F1 12 Tf 72 700 Td (Hello) Tj 0 -14 Td (world) Tj ET"
	h.put("a.pdf", fmt.Sprintf("%%PDF-1.4\n1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj\n2 0 obj <</Kids [3 0 R]>> endobj\n3 0 obj <</Type /Page /Contents 4 0 R>> endobj\n"+
		"4 0 obj <</Length %d>>\nstream\n%s\nendstream endobj\ntrailer <</Root 1 0 R>>\n%%%%EOF\n", len(program), program))
	r := h.call("read", args{"file_path": "a.pdf"})
	if r.Text() != "     1|--- page 1 of 1\n     2|Hello\n     3|world" {
		t.Errorf("%q", r.Text())
	}
	h.put("broken.pdf", "%PDF-1.4\nnothing")
	if r := h.call("read", args{"file_path": "broken.pdf"}); code(r) != tool.Execution || !strings.Contains(r.Text(), "no pages") {
		t.Errorf("%q", r.Text())
	}
}
