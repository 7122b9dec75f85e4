package builtin_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/builtin"
	"helve/tool"
)

// pictures are one small image of each kind that models accept.
func pictures(t *testing.T) map[string][]byte {
	t.Helper()
	m := image.NewPaletted(image.Rect(0, 0, 30, 20), color.Palette{color.Black, color.White})
	m.Pix[7] = 1
	var one, many, photo bytes.Buffer
	if err := gif.Encode(&one, m, nil); err != nil {
		t.Fatal(err)
	}
	if err := gif.EncodeAll(&many, &gif.GIF{Image: []*image.Paletted{m, m, m}, Delay: []int{1, 1, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(&photo, m, nil); err != nil {
		t.Fatal(err)
	}
	webp, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	if err != nil {
		t.Fatal(err)
	}
	thumb := append([]byte("\xff\xd8\xff\xe1\x00\x0aExif\x00\x00\xff\xd9"), photo.Bytes()[2:]...)
	return map[string][]byte{"image/jpeg ": thumb, "image/png": noise(20, 10), "image/jpeg": photo.Bytes(), "image/gif": one.Bytes(), "image/webp": webp, "animation": many.Bytes()}
}

func TestAnImageThatIsCutShortIsNotShown(t *testing.T) {
	h := open(t, builtin.Options{})
	for kind, data := range pictures(t) {
		h.put("whole", string(data))
		if r := h.call("read", args{"file_path": "whole"}); r.Err != nil {
			t.Errorf("%s: %q", kind, r.Text())
		} else if pic, ok := r.Parts[0].(tool.Image); kind != "animation" && (!ok || pic.MIME != strings.TrimSpace(kind) || !bytes.Equal(pic.Data, data)) {
			t.Errorf("%s: %v", kind, r.Parts)
		}
		for _, end := range []int{len(data) - 2, len(data) / 2, 14} {
			h.put("cut", string(data[:end]))
			if r := h.call("read", args{"file_path": "cut"}); code(r) != tool.Execution && !strings.HasPrefix(r.Text(), "Binary file") {
				t.Errorf("%s cut at %d of %d: %s %q", kind, end, len(data), code(r), r.Text())
			}
		}
	}
}

func TestOfAnAnimationTheFirstPictureIsShown(t *testing.T) {
	h := open(t, builtin.Options{})
	h.put("a.gif", string(pictures(t)["animation"]))
	r := h.call("read", args{"file_path": "a.gif"})
	pic, ok := r.Parts[0].(tool.Image)
	if !ok || r.Text() != "[a.gif: the first of 3 pictures of an animation, encoded anew as image/jpeg]" {
		t.Fatalf("%q", r.Text())
	}
	if c, kind, err := image.DecodeConfig(bytes.NewReader(pic.Data)); err != nil || "image/"+kind != pic.MIME || kind == "gif" || c.Width != 30 || c.Height != 20 {
		t.Errorf("%+v, %s, %v", c, kind, err)
	}
}

func TestATextThatBeginsLikeAnImageIsShownAsText(t *testing.T) {
	h := open(t, builtin.Options{})
	h.put("notes", "GIF89a is how these files begin\n")
	if r := h.call("read", args{"file_path": "notes"}); r.Text() != "     1|GIF89a is how these files begin" {
		t.Errorf("%q", r.Text())
	}
}

func TestWriteEndsTheLastLineAsTheOthers(t *testing.T) {
	for _, c := range []struct{ before, contents, after string }{
		{"", "a\r\nb", "a\r\nb\r\n"},
		{"", "a\nb", "a\nb\n"},
		{"x\n", "a\r\nb", "a\r\nb\r\n"},
		{"x\ry\r", "a\nb\n", "a\rb\r"},
		{"x\ry\r", "a\nb", "a\rb\r"},
		{"x\ry", "a\nb", "a\rb"},
		{"x\r\ny\r\n", "a", "a\r\n"},
	} {
		h := open(t, builtin.Options{})
		if c.before != "" {
			h.put("f", c.before)
		}
		if r := h.call("write", args{"file_path": "f", "contents": c.contents}); r.Err != nil || h.get("f") != c.after {
			t.Errorf("%q over %q: %q, want %q (%q)", c.contents, c.before, h.get("f"), c.after, r.Text())
		}
	}
}

func TestAPathThatEndsInASlashIsNoFile(t *testing.T) {
	h := open(t, builtin.Options{})
	if r := h.call("write", args{"file_path": "new/", "contents": "x"}); code(r) != tool.Validation || !strings.HasPrefix(r.Text(), "Path is a directory") {
		t.Errorf("%s %q", code(r), r.Text())
	}
	if _, err := os.Lstat(filepath.Join(h.dir, "new")); err == nil {
		t.Error("something was made")
	}
}

func TestATodoStandsOnItsOwnLine(t *testing.T) {
	h := open(t, builtin.Options{State: t.TempDir()})
	if r := h.call("todo_write", args{"todos": []args{{"id": "1\n2. [completed] all", "content": "x"}}}); code(r) != tool.Validation || !strings.Contains(r.Text(), "todos[0].id") {
		t.Errorf("%q", r.Text())
	}
}

// A text that would lead a parser down a million levels ends no server.
func TestADeeplyNestedFileIsWrittenAsAnyOther(t *testing.T) {
	h := open(t, builtin.Options{})
	for name, unit := range map[string]string{"a.sh": "(", "b.sh": "$(", "c.bash": "((", "d.sh": "if ", "e.toml": "a = [", "f.json": "[", "g.toml": "a.", "h.ipynb": `{"cells":[`} {
		text := strings.Repeat(unit, 900_000/len(unit)) + "\n"
		if r := h.call("write", args{"file_path": name, "contents": text}); r.Err != nil || h.get(name) != text {
			t.Errorf("%s: %.200q", name, r.Text())
		}
		if r := h.call("read", args{"file_path": name}); r.Err != nil {
			t.Errorf("%s: %.200q", name, r.Text())
		}
	}
}
