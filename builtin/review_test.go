package builtin_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/builtin"
	"helve/policy"
	"helve/tool"
)

// openReviewed is a fixture in mode review whose questions are answered; with nobody no one is there.
func openReviewed(t *testing.T, nobody bool) *asked {
	t.Helper()
	a := &asked{fixture: open(t, writing())}
	needLayer(t, a.fixture)
	reg := &tool.Registry{}
	if err := reg.Add(builtin.All(a.ws)...); err != nil {
		t.Fatal(err)
	}
	o := tool.KitOptions{Policy: policy.Review}
	if !nobody {
		o.Ask = func(_ context.Context, q *tool.Question) (tool.Answer, error) {
			a.seen = append(a.seen, q)
			if r := q.Job.Call.Resume; r != nil {
				return tool.Answer{Yes: string(r.Answers) == `"yes"`}, nil
			}
			return a.answer, nil
		}
	}
	a.kit = reg.Kit(o)
	return a
}

const rewrites = "echo two >a.txt; mkdir -p new/deep; echo fresh >new/deep/b; rm old.txt; chmod +x c.sh; echo ran >>runs; echo spoken"

func (a *asked) before() {
	a.put("a.txt", "one\n")
	a.put("old.txt", "gone soon\n")
	a.put("c.sh", "echo\n")
	a.put("runs", "")
}

// Of what is new a person sees the mode, where it lets something be run or everybody write, and empty files.
func TestAReviewShowsModesAndEmptyFiles(t *testing.T) {
	a := openReviewed(t, false)
	a.put("none", "")
	a.answer = tool.Answer{Yes: true}
	res := a.call("bash", args{"command": "echo x >run; chmod 755 run; mkdir -m 777 pub; mkdir -m 755 usual; echo y >usual/f; chmod 644 usual/f; touch empty; chmod 644 empty; rm none"})
	if len(a.seen) != 1 {
		t.Fatalf("asked %d times: %q", len(a.seen), res.Text())
	}
	got := a.seen[0].Preview.String()
	for _, want := range []string{"run: the mode is 0755\n", "pub: the mode is 0777\n", "+++ b/empty\n(an empty file)\n", "--- a/none\n+++ /dev/null\n(an empty file)\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "usual: the mode") || strings.Contains(got, "f: the mode") {
		t.Errorf("modes of no interest:\n%s", got)
	}
}

// A person sees all that a command changed before any of it is made.
func TestReviewShowsTheWholeDifferenceBeforeItIsMade(t *testing.T) {
	a := openReviewed(t, false)
	a.before()
	a.answer = tool.Answer{Yes: true, For: tool.Always}
	res := a.call("bash", args{"command": rewrites})
	if len(a.seen) != 1 || !a.seen[0].Late {
		t.Fatalf("asked %d times: %q", len(a.seen), res.Text())
	}
	q := a.seen[0]
	for _, want := range []string{"-one", "+two", "+fresh", "-gone soon", "c.sh: the mode is 0755, and was 0644", "b/new/deep/b"} {
		if !strings.Contains(q.Preview.String(), want) {
			t.Errorf("%q is not in\n%s", want, q.Preview)
		}
	}
	if !strings.HasPrefix(q.Job.Title, "make what the command changed: 3 changed, 3 new, 1 deleted") {
		t.Errorf("%s", q.Job.Title)
	}
	if a.get("a.txt") != "two\n" || a.get("new/deep/b") != "fresh\n" || a.get("runs") != "ran\n" || !strings.Contains(res.Text(), "spoken") {
		t.Errorf("not made: %q", res.Text())
	}
	// What looks needs nobody, and another command is another question.
	a.seen = nil
	if res := a.call("bash", args{"command": "cat a.txt"}); res.Err != nil || len(a.seen) != 0 {
		t.Errorf("%q, asked %d times", res.Text(), len(a.seen))
	}
	if res := a.call("bash", args{"command": "true; x=1 sh -c :"}); res.Err != nil || len(a.seen) != 0 {
		t.Errorf("nothing changed: %q, asked %d times", res.Text(), len(a.seen))
	}
}

func TestWhatAReviewDeclinesIsNotMade(t *testing.T) {
	for _, c := range []struct {
		nobody bool
		note   string
		want   string
	}{
		{false, "", "The person declined"},
		{false, "not the mode", "the person says: not the mode"},
		{true, "", "nobody was asked"},
	} {
		a := openReviewed(t, c.nobody)
		a.before()
		a.answer = tool.Answer{Note: c.note}
		res := a.call("bash", args{"command": rewrites})
		if code(res) != tool.Permission || !strings.Contains(strings.ToLower(res.Text()), strings.ToLower(c.want)) {
			t.Errorf("%s %q", code(res), res.Text())
		}
		if !strings.Contains(res.Text(), "+two") || !strings.Contains(res.Text(), "spoken") {
			t.Errorf("without its difference: %q", res.Text())
		}
		_, err := os.Stat(filepath.Join(a.dir, "new"))
		if a.get("a.txt") != "one\n" || a.get("old.txt") != "gone soon\n" || err == nil {
			t.Errorf("%q was made", a.get("a.txt"))
		}
	}
}

// What asks before the command in mode ask and cannot be held back asks before it in mode review, too.
func TestReviewAsksBeforeWhatCannotBeHeldBack(t *testing.T) {
	a := openReviewed(t, false)
	a.put(".env", "HIDDEN\n")
	for _, in := range []args{
		{"command": "make", "network": true},
		{"command": "sh .env"},
		{"command": "echo x >/etc/helve-test"},
	} {
		a.seen = nil
		res := a.call("bash", in)
		if len(a.seen) != 1 || a.seen[0].Late {
			t.Errorf("%v: asked %d times: %q", in, len(a.seen), res.Text())
		}
	}
}

// The command runs once, however many rounds the answer takes, and a ticket is good once.
func TestAReviewInRoundsDoesNotRunTheCommandAgain(t *testing.T) {
	for answer, want := range map[string]string{`"yes"`: "ran\n", `"no"`: ""} {
		a := openReviewed(t, false)
		a.before()
		a.answer = tool.Answer{Need: &tool.Need{Requests: json.RawMessage(`{"approval":{}}`)}}
		in, err := json.Marshal(args{"command": rewrites})
		if err != nil {
			t.Fatal(err)
		}
		c := &tool.Call{Name: "bash", Args: in}
		res, err := a.kit.Call(t.Context(), c)
		if err != nil || res.Need == nil || a.get("runs") != "" {
			t.Fatalf("%+v, %v, runs %q", res, err, a.get("runs"))
		}
		c.Resume = &tool.Resume{State: res.Need.State, Answers: json.RawMessage(answer)}
		if _, err := a.kit.Call(t.Context(), c); err != nil || a.get("runs") != want {
			t.Errorf("%s: runs %q, %v", answer, a.get("runs"), err)
		}
		res, err = a.kit.Call(t.Context(), c)
		if err != nil || res.Err == nil || a.get("runs") != want {
			t.Errorf("a ticket twice: %q, %v", res.Text(), err)
		}
	}
	a := openReviewed(t, false) // and who never answers has said no
	a.before()
	a.answer = tool.Answer{Need: &tool.Need{Requests: json.RawMessage(`{}`)}}
	a.call("bash", args{"command": rewrites})
	if err := a.ws.Close(); err != nil || a.get("runs") != "" {
		t.Errorf("runs %q, %v", a.get("runs"), err)
	}
}

// Every tool that writes asks once, with the difference, and nobody where nothing becomes another one. What a difference
// does not show is not taken for nothing.
func TestAReviewAsksOnceAndOnlyWhereSomethingChanges(t *testing.T) {
	a := openReviewed(t, false)
	a.answer = tool.Answer{Yes: true}
	edits := func(file, to string) args {
		return args{"file_path": file, "edits": []args{{"old_string": "one", "new_string": "x"}, {"old_string": "x", "new_string": to}}}
	}
	for _, c := range []struct {
		tool  string
		in    args
		shows string // in the question; "": there is none
	}{
		{"write", args{"file_path": "a.txt", "contents": "one\n"}, ""},
		{"write", args{"file_path": "a.txt", "contents": "", "append": true}, ""},
		{"multi_edit", edits("a.txt", "one"), ""},
		{"bash", args{"command": "sed -i s/nowhere/x/ a.txt; touch a.txt; echo x >gone; rm gone"}, ""},
		{"bash", args{"command": "touch .vscode/tasks.json"}, ""},
		{"write", args{"file_path": "a.txt", "contents": "two\n"}, "+two"},
		{"edit", args{"file_path": "a.txt", "old_string": "two", "new_string": "one"}, "+one"},
		{"multi_edit", edits("a.txt", "two"), "+two"},
		{"bash", args{"command": "echo one >a.txt; touch b.txt"}, "+one"},
		{"bash", args{"command": "chmod 755 a.txt; touch a.txt"}, "the mode is 0755"},
		{"write", args{"file_path": "empty", "contents": ""}, ";"}, // no line of it is a difference
		{"write", args{"file_path": "bin", "contents": "(binary, 2 bytes)\n"}, ";"},
		{"write", args{"file_path": ".env", "contents": "KEY=1\n"}, ";"}, // an answer would be one about a secret
	} {
		a.put("a.txt", "one\n")
		a.put("b.txt", "")
		a.put("bin", "\x00\x01")
		a.put(".env", "KEY=1\n")
		a.put(".vscode/tasks.json", "{}\n")
		if c.shows == "+one" && c.tool != "bash" {
			a.put("a.txt", "two\n")
		} else if c.shows == "+one" {
			a.put("a.txt", "zero\n")
		}
		a.seen = nil
		res := a.call(c.tool, c.in)
		asked := 1
		if c.shows == "" {
			asked = 0
		}
		if res.Err != nil || len(a.seen) != asked {
			t.Errorf("%s %v: asked %d times, want %d: %q", c.tool, c.in, len(a.seen), asked, res.Text())
			continue
		}
		if asked == 1 && c.shows != ";" && !strings.Contains(a.seen[0].Preview.String(), c.shows) {
			t.Errorf("%s %v: %q is not in\n%s", c.tool, c.in, c.shows, a.seen[0].Preview)
		}
	}
	// Whoever wants to be asked is, and what somebody changes meanwhile is not written over.
	b := openReviewed(t, true)
	b.put("a.txt", "one\n")
	if res := b.call("write", args{"file_path": "a.txt", "contents": "one\n"}); res.Err != nil {
		t.Errorf("nobody is there, and nothing changes: %q", res.Text())
	}
	if res := b.call("write", args{"file_path": "a.txt", "contents": "two\n"}); code(res) != tool.Permission || b.get("a.txt") != "one\n" {
		t.Errorf("%q", res.Text())
	}
}

// Of git's store of objects what git writes is counted. Everything else there is shown, as are a mode that says
// something, a link, and a finding.
func TestNothingHidesInGitsStore(t *testing.T) {
	a := openReviewed(t, false)
	const name = "0123456789abcdef0123456789abcdef012345"
	a.put("plants", "mkdir -p v/.git/objects/aa w/.git/objects/bb x/.git y/.git/objects/pack; cd v/.git/objects; "+
		"echo a >run; chmod 755 run; echo b >aa/"+name+"; chmod 444 aa/"+name+"; echo c >aa/other; "+
		"cd ../../../x/.git; ln -s /etc objects; cd ../../w/.git/objects/bb; echo d >"+name+"; chmod 755 "+name+
		"; cd ../../../../y/.git/objects/pack; ln -s /etc/passwd pack-"+name+"01.pack\n")
	res := a.call("bash", args{"command": "sh plants"})
	if len(a.seen) != 1 {
		t.Fatalf("asked %d times: %s", len(a.seen), res.Text())
	}
	shown, title := a.seen[0].Preview.String(), a.seen[0].Job.Title
	for _, want := range []string{
		"v/.git/objects/run: the mode is 0755", "# x/.git/objects: ", "+a\n", "+c\n", "x/.git/objects: a link to", "+d\n",
		"w/.git/objects/bb/" + name + ": the mode is 0755", "pack-" + name + "01.pack: a link to",
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not in\n%s", want, shown)
		}
	}
	if strings.Contains(shown, "+b\n") || !strings.Contains(title, "in git's store") {
		t.Errorf("an object of git's: %s\n%s", title, shown)
	}
}
