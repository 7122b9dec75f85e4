package display

import (
	"testing"

	"helve/tool"
)

func TestAPictureOfAServerIsNamedNotPrinted(t *testing.T) {
	for block, want := range map[string]string{
		`{"type":"image","data":"aGVsbG8h","mimeType":"image/png"}`: "[image image/png, 6 bytes: --json shows it]",
		`{"type":"audio","data":"","mimeType":"a\u001b[31m"}`:       `[audio a\u001b[31m, 0 bytes: --json shows it]`,
		`{"type":"zzz","data":"x"}`:                                 `{"type":"zzz","data":"x"}`,
	} {
		if got := readable(&tool.Result{Parts: []tool.Part{tool.Foreign(block)}}); got != want {
			t.Errorf("%s: %q, want %q", block, got, want)
		}
	}
}
