package builtin_test

import (
	"strings"
	"testing"

	"helve/builtin"
	"helve/internal/testing/racing"
)

// No tool reads, lists or writes what lies behind a link that takes the place of a directory or a file while it works.
func TestNoToolFollowsALinkThatIsPutInItsWay(t *testing.T) {
	for _, c := range []struct {
		tool string
		args []args
	}{
		{"grep", []args{{"pattern": "needle"}, {"pattern": "needle", "path": "sub/deep"}, {"pattern": "x", "path": "sub/plain.txt"}}},
		{"glob", []args{{"pattern": "**/*"}, {"pattern": "*", "path": "sub/deep"}}},
		{"ls", []args{{"depth": 5}, {"path": "sub/deep"}}},
		{"read", []args{{"file_path": "sub/deep/f.txt"}, {"file_path": "sub/plain.txt"}}},
		{"write", []args{{"file_path": "sub/deep/f.txt", "contents": "needle\n"}, {"file_path": "sub/plain.txt", "contents": "needle\n"},
			{"file_path": "sub/deep/new/one.txt", "contents": "needle\n"}}},
		{"edit", []args{{"file_path": "sub/deep/f.txt", "old_string": "needle", "new_string": "needle2"},
			{"file_path": "sub/deep/f.txt", "old_string": "needle2", "new_string": "needle"},
			{"file_path": "sub/plain.txt", "old_string": "needle", "new_string": "pin"},
			{"file_path": "sub/plain.txt", "old_string": "pin", "new_string": "needle"}}},
	} {
		t.Run(c.tool, func(t *testing.T) {
			p := racing.Make(t)
			h := open(t, builtin.Options{Dirs: []string{p.Dir}})
			worked, calls := 0, 0
			p.Run(t, racing.Exchanges(t), func(n int) {
				res := h.call(c.tool, c.args[n%len(c.args)])
				calls++
				if code(res) == "" {
					worked++
				}
				if text := res.Text() + string(res.Meta); strings.Contains(text, racing.Mark) {
					t.Errorf("%s %v shows what lies outside:\n%s", c.tool, c.args[n%len(c.args)], text)
				}
			})
			t.Logf("%d exchanges, %d calls of which %d found what they were asked for", p.Made(), calls, worked)
			if worked == 0 {
				t.Error("no call ever worked: nothing was tested")
			}
		})
	}
}
