package tool_test

import (
	"testing"

	"helve/tool"
)

// Whatever arrives instead of a packed result is an error: what is cut short, anywhere, too.
func TestAPackedResultThatIsCutShortIsAnError(t *testing.T) {
	whole, err := tool.Pack(packable())
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if n > 3000 && n < len(whole)-3000 {
			continue
		}
		if _, err := tool.Unpack(whole[:n]); err == nil {
			t.Fatalf("%d of %d bytes are a result", n, len(whole))
		}
	}
	for _, b := range [][]byte{nil, {}, {0}, {0, 0, 0}, {0, 0, 0, 0}, {255, 255, 255, 255}, {0, 0, 0, 2, '{', '}'}} {
		if _, err := tool.Unpack(b); err == nil {
			t.Errorf("%v is a result", b)
		}
	}
}

// What a part brings counts with all that it has.
func TestTheSizeOfAPartCountsAllThatItBrings(t *testing.T) {
	for _, c := range []struct {
		part tool.Part
		want int
	}{
		{tool.Text("four"), 4}, {tool.Image{MIME: "image/png", Data: []byte{1, 2}}, 2}, {tool.Audio{Data: []byte{1}}, 1},
		{tool.Resource{URI: "a:b", Text: "abc", Blob: []byte{1, 2}}, 5}, {tool.Foreign(`{"a":1}`), 7},
		{tool.Link{URI: "a:b", Name: "n", Title: "ti", Description: "desc"}, 10},
	} {
		if got := tool.Size(c.part); got != c.want {
			t.Errorf("%#v: %d, want %d", c.part, got, c.want)
		}
	}
}
