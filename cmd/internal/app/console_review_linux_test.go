package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/policy"
	"helve/server/console"
)

// leave has a command leave something for a person, and returns the ID under which it waits.
func (v victim) leave(line string) string {
	v.t.Helper()
	_, said, errs := v.run("--mode", "auto", "call", "bash", line)
	if strings.Contains(said+errs, "needs approval") {
		v.t.Skip("holding changes of commands back does not work here: " + said + errs)
	}
	_, list, _ := v.run("review", "--json")
	var sets []struct{ ID string }
	if err := json.Unmarshal([]byte(list), &sets); err != nil || len(sets) == 0 {
		v.t.Fatalf("%s left nothing: %s%s\n%s", line, said, errs, list)
	}
	return sets[0].ID
}

// standing is what stands in a file of the repository; "-": it is not there.
func (v victim) standing(name string) string {
	text, err := os.ReadFile(filepath.Join(v.repo, name))
	if err != nil {
		return "-"
	}
	return string(text)
}

// review is what the console lists.
func (c *consoled) review() (out console.Review) {
	c.t.Helper()
	if err := json.Unmarshal([]byte(c.answered(200, "GET", "review", "")), &out); err != nil {
		c.t.Fatal(err)
	}
	return out
}

// reviewFiles are those of a set, by their paths.
func (c *consoled) reviewFiles(id string) map[string]console.ReviewFile {
	c.t.Helper()
	var page console.ReviewFiles
	if err := json.Unmarshal([]byte(c.answered(200, "GET", "review-files?skip=0&id="+id, "")), &page); err != nil {
		c.t.Fatal(err)
	}
	out := map[string]console.ReviewFile{}
	for _, f := range page.Files {
		out[f.Path] = f
	}
	return out
}

// decided is what became of files of a set; none: of all.
func (c *consoled) decided(status int, what, id string, files ...int) (out console.Reviewed, text string) {
	c.t.Helper()
	body, err := json.Marshal(map[string]any{"id": id, "files": files})
	if err != nil {
		c.t.Fatal(err)
	}
	said := c.answered(status, "POST", "review-"+what, string(body))
	if err := json.Unmarshal([]byte(said), &out); err != nil {
		c.t.Fatal(err)
	}
	return out, out.Text + said
}

// What commands left is shown, made and dropped at the console as by helve review.
func TestAPersonReviewsAtTheConsole(t *testing.T) {
	v := newVictim(t).put("README", "x\n")
	id := v.leave(`mkdir -p .husky .newtool; echo true >.husky/pre-commit; echo y >.newtool/rc; echo obey >AGENTS.md`)
	c := v.consoled(t, "console")
	list := c.review()
	if len(list.Sets) != 1 || list.Waiting != 1 || list.Sets[0].ID != id || list.Sets[0].Open != 5 {
		t.Fatalf("%+v", list)
	}
	files := c.reviewFiles(id)
	agents := files["AGENTS.md"]
	if !strings.Contains(agents.Why, "take it for instructions") || !strings.Contains(agents.Diff, "+obey") || agents.State != "waits" {
		t.Errorf("%+v", files)
	}

	// One file alone, and a folder with what is in it; a second time, and what is not there.
	_, said := c.decided(200, "make", id, agents.Number)
	if v.standing("AGENTS.md") != "obey\n" || v.standing(".newtool/rc") != "-" || !strings.Contains(said, "made: AGENTS.md") || !strings.Contains(said, "takes it back") {
		t.Errorf("%s", said)
	}
	if _, said := c.decided(409, "make", id, agents.Number); !strings.Contains(said, "nothing waits that is called AGENTS.md") {
		t.Errorf("applied twice: %s", said)
	}
	if _, said := c.decided(409, "drop", id, 77); !strings.Contains(said, "nothing waits that has the number 77") {
		t.Errorf("%s", said)
	}
	if _, said := c.decided(409, "drop", "zzzz"); !strings.Contains(said, "there is no such draft") {
		t.Errorf("%s", said)
	}
	if _, said := c.decided(200, "drop", id, files[".newtool/"].Number); !strings.Contains(said, "dropped: .newtool/rc") {
		t.Errorf("%s", said)
	}
	if state := c.reviewFiles(id)[".newtool/rc"].State; state != "dropped" {
		t.Errorf("it is %s", state)
	}

	// What somebody changed since stays, with both differences.
	v.put(".husky/pre-commit", "mine\n")
	refused, said := c.decided(200, "make", id)
	both := strings.Contains(refused.Text, "+true\nand was made since:") && strings.Contains(refused.Text, "+mine")
	if v.standing(".husky/pre-commit") != "mine\n" || !strings.Contains(refused.Problem, "1 were changed since") || !both {
		t.Errorf("%s", said)
	}
	if list = c.review(); list.Waiting != 1 {
		t.Errorf("it waits no more: %+v", list)
	}
	c.decided(200, "drop", id)
	if list = c.review(); len(list.Sets) != 0 {
		t.Errorf("%+v", list)
	}
	if _, said := c.decided(409, "make", id); !strings.Contains(said, "any more: it was") {
		t.Errorf("dropped, and then applied: %s", said)
	}

	// Who decided stands on the record, and the page is told of nothing that it cannot show.
	if _, out, _ := v.run("audit", "--json", "--tool", "review apply"); !strings.Contains(out, `"kind":"console"`) {
		t.Errorf("%s", out)
	}
	if said := c.answered(200, "GET", "board", ""); !strings.Contains(said, policy.AskFirst.Summary()) {
		t.Errorf("the mode is not told as the table has it: %s", said)
	}
	for path, status := range map[string]int{
		"review-files?id=" + id: 400, "review-files?skip=-1&id=" + id: 400, "review-files?skip=0": 409,
	} {
		c.answered(status, "GET", path, "")
	}
	c.answered(400, "POST", "review-make", `{}`)
}

// A set of many files comes in parts, each with its number.
func TestALargeSetIsShownInParts(t *testing.T) {
	v := newVictim(t)
	id := v.leave(`seq 120 | xargs -I{} sh -c 'mkdir d{}; echo new >d{}/AGENTS.md'`)
	c := v.consoled(t, "console")
	seen := map[int]bool{}
	for more := true; more; {
		var page console.ReviewFiles
		path := fmt.Sprintf("review-files?id=%s&skip=%d", id, len(seen))
		if err := json.Unmarshal([]byte(c.answered(200, "GET", path, "")), &page); err != nil || len(page.Files) == 0 {
			t.Fatalf("%d are shown: %v", len(seen), err)
		}
		for _, f := range page.Files {
			seen[f.Number] = true
		}
		more = page.More
	}
	if len(seen) != 120 {
		t.Errorf("%d of 120 are shown", len(seen))
	}
	if out, _ := c.decided(200, "make", id); strings.Count(out.Text, "made: ") != 120 || out.Problem != "" {
		t.Errorf("%+v", out)
	}
	if v.standing("d120/AGENTS.md") != "new\n" {
		t.Error("the last one is not made")
	}
}
