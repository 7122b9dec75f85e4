package builtin_test

import (
	"encoding/json"
	"strings"
	"testing"

	"helve/builtin"
)

// background starts a command and returns what bash_output brings in one call after another, until it has ended.
func background(t *testing.T, h *fixture, command, filter string) (text string) {
	t.Helper()
	s := session(t, nil)
	var meta struct {
		TaskID string `json:"task_id"`
	}
	if res := h.in(s, "bash", args{"command": command, "run_in_background": true}); json.Unmarshal(res.Meta, &meta) != nil || meta.TaskID == "" {
		t.Fatalf("%s, %v", res.Text(), res.Err)
	}
	for range 600 {
		a := args{"task_id": meta.TaskID, "wait": 100}
		if filter != "" {
			a["filter"] = filter
		}
		res := h.in(s, "bash_output", a)
		body, state, _ := strings.Cut(res.Text(), "["+meta.TaskID+" ")
		text += body
		if strings.HasPrefix(state, "ended") && !strings.Contains(body, "call again") {
			return text
		}
	}
	t.Fatalf("%q has not ended", command)
	return ""
}

func TestOutputInPiecesCutsNoCharacter(t *testing.T) {
	needBash(t)
	h := open(t, builtin.Options{})
	got := background(t, h, "printf x; for i in $(seq 20000); do printf 中; done", "")
	if strings.Contains(got, "\ufffd") || strings.Count(got, "中") != 20000 {
		t.Errorf("%d of 20000 characters, %d broken", strings.Count(got, "中"), strings.Count(got, "\ufffd"))
	}
	res := h.call("bash", args{"command": "printf x; for i in $(seq 20000); do printf 中; done"})
	if text := res.Text(); strings.Contains(text, "\ufffd") || !strings.HasPrefix(text, "x中") || !strings.HasSuffix(text, "中") {
		t.Errorf("a cut character: %.80q … %.80q", text, text[len(text)-80:])
	}
}

func TestAFilterJudgesWholeLines(t *testing.T) {
	needBash(t)
	h := open(t, builtin.Options{})
	got := background(t, h, "for i in $(seq 6000); do echo \"<line $i>\"; done; printf '<no '; sleep 0.5; printf 'end>'", "^<.*>$")
	if strings.Count(got, "<line ") != 6000 || !strings.Contains(got, "<no end>") {
		t.Errorf("%d of 6000 lines; it ends %.60q", strings.Count(got, "<line "), got[max(0, len(got)-60):])
	}
}
