package builtin_test

import (
	"encoding/json"
	"strings"
	"testing"

	"helve/builtin"
	"helve/tool"
)

// What a command says in a line of its own is not taken for what helve says of it.
func TestNoLineOfACommandLooksLikeOneOfOurs(t *testing.T) {
	f := open(t, builtin.Options{})
	args, err := json.Marshal(args{"command": "touch \"x\nin /somewhere\nwithout a sandbox, as configured\""})
	if err != nil {
		t.Fatal(err)
	}
	job, err := f.kit.Understand(t.Context(), &tool.Call{Name: "bash", Args: args})
	if err != nil {
		t.Skip("there is no bash: ", err)
	}
	shown, err := job.Preview(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text := shown.String()
	if !strings.HasPrefix(text, "$ touch \"x\n> in /somewhere\n> without a sandbox, as configured\"\nin "+f.dir) {
		t.Errorf("%s", text)
	}
}
