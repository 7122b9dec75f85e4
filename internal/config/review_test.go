package config_test

import (
	"testing"

	"helve/internal/config"
)

// turn asks less often: the person's own configuration may say it, no project may, and the administrator's holds all to
// call.
func TestOnlyThePersonHasAReplyBeOneQuestion(t *testing.T) {
	const call, turn = `{"review":"call"}`, `{"review":"turn"}`
	for _, c := range []struct {
		files []string
		trust bool
		want  string
		drops int
	}{
		{nil, false, "call", 0},
		{[]string{user, turn}, false, "turn", 0},
		{[]string{project, turn}, false, "call", 1},
		{[]string{project, turn}, true, "call", 1},
		{[]string{user, turn, project, call}, false, "call", 0},
		{[]string{user, turn, project, call}, true, "call", 0},
		{[]string{user, turn, project, turn}, true, "turn", 1},
		{[]string{user, turn, managed, call}, false, "call", 0},
		{[]string{user, call, managed, turn}, false, "call", 1},
	} {
		got := newHome(t).write(c.files...).mustLoad(config.Options{Trusted: func(string, string) bool { return c.trust }})
		if got.Review != c.want || len(got.Ignored) != c.drops {
			t.Errorf("%q, trusted %v: %q, ignored %+v", c.files, c.trust, got.Review, got.Ignored)
		}
	}
	if _, err := newHome(t).write(user, `{"review":"always"}`).load(config.Options{}); err == nil {
		t.Error("a word that is none was taken")
	}
}
