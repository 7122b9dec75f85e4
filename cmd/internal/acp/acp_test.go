package acp

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"helve/internal/diff"
	"helve/tool"
)

// The changed parts that an editor is shown are those of the difference: put in place of each other they make the new
// text of the old one.
func TestTheChangedPartsMakeTheNewText(t *testing.T) {
	line := rapid.SampledFrom([]string{"a", "b", "c", "-- x", "++ y", "@@ -1 +1 @@", "", "\\ no"})
	text := rapid.Custom(func(t *rapid.T) string {
		s := strings.Join(rapid.SliceOfN(line, 0, 30).Draw(t, "lines"), "\n")
		if rapid.Bool().Draw(t, "ended") && s != "" {
			s += "\n"
		}
		return s
	})
	rapid.Check(t, func(t *rapid.T) {
		before, after := text.Draw(t, "before"), text.Draw(t, "after")
		d := tool.Diff{Path: "a.txt", Unified: diff.Of(before, after, diff.Options{}).Unified("a/a.txt", "b/a.txt")}
		hunks, whole := hunksOf(d)
		if !whole {
			t.Fatalf("something is left of\n%s", d.Unified)
		}
		got, rest := "", before
		at := 1 // the line of the new text at which rest begins
		for _, h := range hunks {
			for ; at < h.line && rest != ""; at++ {
				i := strings.IndexByte(rest, '\n') + 1
				got, rest = got+rest[:i], rest[i:]
			}
			cut, ok := strings.CutPrefix(rest, string(h.before))
			if !ok {
				t.Fatalf("%q is not at line %d of %q", h.before, h.line, before)
			}
			got, rest = got+string(h.after), cut
			at += bytes.Count(h.after, []byte("\n"))
		}
		if got+rest != after {
			t.Fatalf("%q and %q: the parts make %q of\n%s", before, after, got+rest, d.Unified)
		}
	})
}

// What the protocol has no form for is shown as text: nobody says yes to what they have not seen.
func TestWhatIsNoChangeOfTextIsShownAsText(t *testing.T) {
	d := tool.Diff{Path: "undo k3", Unified: "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\nrun.sh: mode 644 → 755\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+c\n"}
	got := diffContent("/repo", d)
	if len(got) != 3 || got[0].Content.Text != d.Unified {
		t.Fatalf("shown: %+v", got)
	}
	if got[1].Path != "/repo/x" || *got[1].Old != "a\n" || *got[1].New != "b\n" || got[2].Path != "/repo/new" || got[2].Old != nil {
		t.Errorf("shown: %+v", got)
	}
}

// A fence is longer than all that a text has, however long they are.
func TestAFenceIsLongerThanThoseOfTheText(t *testing.T) {
	for text, want := range map[string]int{"": 3, "a ` b": 3, "```\n``": 4, strings.Repeat("`", 1<<20): 1<<20 + 1} {
		if got := fenceOf(text); len(got) != want || strings.Trim(got, "`") != "" {
			t.Errorf("of %d bytes: %d, want %d", len(text), len(got), want)
		}
	}
}

func TestAPromptIsReadWithWhatItPointsAt(t *testing.T) {
	for _, c := range []struct{ blocks, want string }{
		{`[{"type":"text","text":"Look at "},{"type":"resource_link","uri":"file:///repo/a%20b.go#L3:9","name":"a"},{"type":"text","text":"."}]`,
			"Look at `a b.go#L3:9`."},
		{`[{"type":"resource_link","uri":"file:///elsewhere/x","name":"x"}]`, "`/elsewhere/x`"},
		{`[{"type":"resource_link","uri":"https://example.com/a","name":"x"}]`, "`https://example.com/a`"},
		{"[{\"type\":\"resource\",\"resource\":{\"uri\":\"file:///repo/a.md\",\"text\":\"```\\ncode\\n```\\n\"}}]",
			"\n`a.md`:\n````\n```\ncode\n```\n````\n"},
		{`[{"type":"resource","resource":{"uri":"file:///repo/a.bin","blob":"AAAA"}}]`, "`a.bin` (its content is no text, and left out)"},
		{`[]`, "error: the prompt is empty"},
		{`[{"type":"text","text":" \n"}]`, "error: the prompt is empty"},
		{`[{"type":"audio","data":"","mimeType":"audio/wav"}]`, "error: prompt[0]: this agent takes no audio"},
		{`[{"type":"image","data":"?","mimeType":"image/png"}]`, "error: prompt[0]: the image is no base64: illegal base64 data at input byte 0"},
		{`[{"type":"image","data":"JVBERi0xLjc=","mimeType":"image/png"}]`, "error: prompt[0]: the image: it is application/pdf: want PNG, JPEG, GIF or WebP"},
		{`[{"type":"image","mimeType":"image/png"}]`, "error: prompt[0]: the image: it is text/plain; charset=utf-8: want PNG, JPEG, GIF or WebP"},
		{`[` + strings.Repeat(`{"type":"image","data":"R0lGODlh","mimeType":"image/png"},`, 20) + `{"type":"image","data":"R0lGODlh"}]`,
			"error: prompt[20]: a prompt has at most 20 images"},
		{`[{"type":"resource"}]`, "error: prompt[0]: want a resource with a uri"},
		{`[{"type":"dance"}]`, `error: prompt[0]: a block of type "dance" is not known`},
	} {
		var blocks []block
		if err := json.Unmarshal([]byte(c.blocks), &blocks); err != nil {
			t.Fatal(err)
		}
		prompt, err := promptOf("/repo", blocks)
		got := prompt.Text
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.blocks, got, c.want)
		}
	}
}

// A picture is what its bytes are, and needs no words beside it.
func TestAPictureIsAPrompt(t *testing.T) {
	got, err := promptOf("/repo", []block{{Type: "image", MIME: "image/png", Data: "R0lGODlh"}})
	if err != nil || got.Text != "" || len(got.Images) != 1 || got.Images[0].MIME != "image/gif" || string(got.Images[0].Data) != "GIF89a" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestServersOfAnEditorAreAskedAbout(t *testing.T) {
	given := []mcpServer{
		{Name: "my server", Command: "run", Args: []string{"it"}, Env: []pair{{"A", "b"}}},
		{Type: "http", Name: "far", URL: "https://example.com", Headers: []pair{{"X", "y"}}},
	}
	got, bad := serversOf(given)
	const want = `{"mcp_servers":{"far":{"type":"http","url":"https://example.com","headers":{"X":"y"}},` +
		`"my-server":{"command":"run","args":["it"],"env":{"A":"b"}}}}`
	if bad != nil || string(got) != want {
		t.Errorf("%s, %v", got, bad)
	}
	for _, wrong := range [][]mcpServer{
		{{Command: "x"}},
		{{Name: "x", Type: "carrier pigeon"}},
		{{Name: "a b"}, {Name: "a-b"}},
		make([]mcpServer, maxServers+1),
	} {
		if _, bad := serversOf(wrong); bad == nil {
			t.Errorf("%+v was taken", wrong[:1])
		}
	}
}

func TestTargetsAreFilesWhereTheyLie(t *testing.T) {
	dirs := []string{"/repo", "/else/lib"}
	for target, want := range map[string]string{
		"a/b.go": "/repo/a/b.go", "//lib/x.go": "/else/lib/x.go", "//other/x": "", "/etc/hosts": "/etc/hosts", "*": "", "": "",
	} {
		if got := pathOf(dirs, target); got != want {
			t.Errorf("%q is %q, want %q", target, got, want)
		}
	}
}
