package foreign

import (
	"encoding/json"
	"strings"
	"testing"

	"helve/tool"
)

// R1.19.
func TestWhatAPersonSeesOfAResult(t *testing.T) {
	for result, want := range map[string]string{
		`{"content":[]}`: "```json\n[]\n```",
		`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`:                            "ab",
		`{"content":[{"type":"text","text":"a"},{"type":"image","data":"aGk=","mimeType":"image/png"}]}`: "```json\n[\n  {\n    \"type\": \"text\",\n    \"text\": \"a\"\n  },\n  {\n    \"type\": \"image\",\n    \"data\": \"aGk=\",\n    \"mimeType\": \"image/png\"\n  }\n]\n```",
	} {
		res, err := Result(json.RawMessage(result))
		if err != nil || res.Display.String() != want {
			t.Errorf("%s: %v, %v, want %s", result, res.Display, err, want)
		}
	}
	big, err := Result(json.RawMessage(`{"content":[{"type":"image","data":"` + strings.Repeat("A", 1<<20) + `","mimeType":"image/png"}]}`))
	if err != nil || len(big.Display.String()) > 1000 {
		t.Errorf("%d bytes are shown, %v", len(big.Display.String()), err)
	}
}

func TestEveryBlockIsKeptAsItCame(t *testing.T) {
	blocks := []string{
		`{"type":"image",  "data":"aGk=","mimeType":"image/png"}`, `{"type":"audio","data":"aGk=","mimeType":"audio/wav"}`,
		`{"type":"resource_link","uri":"file:///x","name":"x","size":1.0}`, `{"type":"resource","resource":{"uri":"x:1","text":"t"}}`,
		`{"type":"text","text":"t","annotations":{"priority":0.5}}`, `{"type":"future","what":[1]}`,
	}
	res, err := Result(json.RawMessage(`{"isError":false,"content":[` + strings.Join(blocks, ",") + `],"structuredContent":{"a": 1},"_meta":{"k":1}}`))
	if err != nil || len(res.Parts) != len(blocks) || string(res.Data) != `{"a": 1}` || string(res.Extra) != `{"k":1}` || res.Err != nil {
		t.Fatalf("%+v, %v", res, err)
	}
	for i, p := range res.Parts {
		if f, ok := p.(tool.Foreign); !ok || string(f) != blocks[i] {
			t.Errorf("block %d: %T %s, want %s", i, p, p, blocks[i])
		}
	}
}

func TestAnErrorStaysAnError(t *testing.T) {
	res, err := Result(json.RawMessage(`{"isError":true,"content":[{"type":"text","text":"disk full"}]}`))
	if err != nil || res.Err == nil || res.Err.Code != tool.Execution || res.Err.Error() != "disk full" || res.Text() != "disk full" {
		t.Errorf("%+v, %v", res, err)
	}
	for _, bad := range []string{``, `[]`, `{"content":{}}`, `{"content":7}`} {
		if res, err := Result(json.RawMessage(bad)); err == nil {
			t.Errorf("%s: %+v", bad, res)
		}
	}
}

func TestOnlyResultsLookLikeResults(t *testing.T) {
	for in, want := range map[string]bool{
		`{"content":[{"type":"text","text":"x"}]}`: true, `{"content":[]}`: true, `{"structuredContent":{}}`: true,
		`{"content":"x"}`: false, `{"content":[{"kind":"x"}]}`: false, `{"a":1}`: false, `[]`: false, `text`: false, `{"structuredContent":1}`: false,
	} {
		if got := LooksLikeResult([]byte(in)); got != want {
			t.Errorf("%s: %v", in, got)
		}
	}
}

func TestDescriptionsLoseWhatHidesAndKeepTheRest(t *testing.T) {
	d, n := Doc("Adds\u200b.\r\n\r\nMore \x1b[1mbold\x1b[0m.\n")
	if d.Short != "Adds." || d.Long != "More bold." || n != 3 {
		t.Errorf("%+v, %d", d, n)
	}
	if d, _ := Doc(strings.Repeat("é", 100_000)); len(d.Short) > maxDoc+10 {
		t.Errorf("%d bytes", len(d.Short))
	}
}

// Structured content and _meta are read by models and shown by clients, like text.
func TestNoMemberOfAResultHidesAnything(t *testing.T) {
	hidden := `a\u001b[31mb` + "\U000e0041" + `\u001b]0;x\u0007c`
	res, err := Result(json.RawMessage(`{"content":[],"structuredContent":{"k":"` + hidden + `"},"_meta":{"` + hidden + `":[1,"` + hidden + `"]}}`))
	if err != nil || string(res.Data) != `{"k":"abc"}` || string(res.Extra) != `{"abc":[1,"abc"]}` {
		t.Errorf("%s %s, %v", res.Data, res.Extra, err)
	}
}
