package workspace_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"helve/agent"
	"helve/engine/dialect"
	rawjson "helve/internal/json"
	"helve/policy"
	"helve/server"
	"helve/tool"

	. "helve/internal/workspace"
)

func inProfileSmall(o *Options) { o.Profile = Small }

func namesOf(specs []*tool.Spec) (out []string) {
	for _, s := range specs {
		out = append(out, s.Name)
	}
	return out
}

// listedAs is a tool as lists of the view show it.
func listedAs(t *testing.T, v *tool.View, name string) *tool.Spec {
	t.Helper()
	i := slices.IndexFunc(v.Specs(), func(s *tool.Spec) bool { return v.Name(s) == name })
	if i < 0 {
		t.Fatalf("%s is not listed: %q", name, namesOf(v.Specs()))
	}
	return v.Specs()[i]
}

// The list of small is that of the default without ls and multi_edit; what it leaves out answers to its name, and each
// tool's own definition is the one that it has everywhere.
func TestSmallListsLessAndKnowsAll(t *testing.T) {
	plain := newPlace(t).open().Kit().View()
	v := newPlace(t).open(inProfileSmall).Kit().View()
	want := slices.DeleteFunc(namesOf(plain.Specs()), func(n string) bool { return n == "ls" || n == "multi_edit" })
	if got := namesOf(v.Specs()); !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
	for _, s := range slices.Concat(plain.Specs(), plain.Unlisted()) {
		own, ok := v.Get(s.Name)
		if !ok {
			t.Errorf("%s cannot be called", s.Name)
			continue
		}
		if own.Spec().Digest() != s.Digest() {
			t.Errorf("%s has another definition than in the default profile", s.Name)
		}
	}
	again := newPlace(t).open(inProfileSmall).Kit().View()
	if came, gone := tool.Changes(v, again); len(came)+len(gone) > 0 {
		t.Errorf("two lists that are the same differ by %q and %q", namesOf(came), namesOf(gone))
	}
}

// What the list says is true: no parameter but those of the tool and what stands in it, with the same types, bounds
// and defaults; and no text is said anew that is as it was.
func TestSmallSaysWhatTheToolsTake(t *testing.T) {
	w := newPlace(t).open(inProfileSmall)
	v := w.Kit().View()
	for _, s := range v.Specs() {
		own := bare(v.Own(s).Input.JSON())
		if s.Name == "edit" {
			multi, _ := v.Get("multi_edit")
			own = bare(WithEdits(v.Own(s).Input.JSON(), multi.Spec().Input.JSON()))
		}
		if got := bare(s.Input.JSON()); got != own {
			t.Errorf("%s is listed with\n%s\nwant\n%s", s.Name, got, own)
		}
	}
	for name, words := range Wordings() {
		if name == Powershell {
			name = "bash"
		}
		own, ok := v.Get(name)
		if !ok {
			t.Errorf("small.json speaks of %s, which there is not", name)
			continue
		}
		input := own.Spec().Input.JSON()
		if name == "edit" {
			multi, _ := v.Get("multi_edit")
			input = WithEdits(input, multi.Spec().Input.JSON())
		}
		said := map[string]string{}
		texts(input, "", said)
		for param, text := range words.Parameters {
			if is, ok := said[param]; !ok || is == text {
				t.Errorf("small.json says %q of %s %s: there is no such parameter, or it says that itself", text, name, param)
			}
		}
	}
}

// bare is a schema without its descriptions.
func bare(in json.RawMessage) string { return string(Reworded(in, "", noTexts(in))) }

func noTexts(in json.RawMessage) map[string]string {
	out := map[string]string{}
	texts(in, "", out)
	for k := range out {
		out[k] = ""
	}
	return out
}

// texts are the descriptions of parameters by their paths.
func texts(in json.RawMessage, at string, out map[string]string) {
	members, _ := rawjson.Object(rawjson.Get(in, "properties"))
	for _, m := range members {
		text, _ := rawjson.String(rawjson.Get(m.Value, "description"))
		out[at+m.Key] = text
		texts(rawjson.Get(m.Value, "items"), at+m.Key+".", out)
	}
}

// Where there is no bash the tool's words speak of what there is.
func TestSmallSpeaksOfPowerShell(t *testing.T) {
	v := newPlace(t).open().Kit().View()
	own, _ := v.Get("bash")
	s := *own.Spec()
	s.Tags = append(slices.Clone(s.Tags), Powershell)
	if got := Briefly(&s, nil).Doc.Short; !strings.Contains(got, "PowerShell") {
		t.Errorf("bash says %q", got)
	}
}

// A rule, a switch and an approval hold for what a call means, whatever it is called.
func TestRulesHoldForWhatACallMeans(t *testing.T) {
	const edits = `{"file_path":"a.txt","edits":[{"old_string":"a","new_string":"b"}]}`
	for _, profile := range ProfileNames {
		p := newPlace(t).put("a.txt", "a\n").put("sub/b.txt", "b\n")
		w := p.open(func(o *Options) {
			o.Profile = profile
			o.Rules = []policy.Rule{policy.Deny("multi_edit:*"), policy.Deny("ls:sub/**")}
		})
		for _, c := range [][2]string{{"multi_edit", edits}, {"edit", edits}, {"ls", `{"path":"sub"}`}, {"read", `{"file_path":"sub/"}`}} {
			if r := ask(t, w, c[0], c[1]); r.Err == nil || r.Err.Code != tool.Permission {
				t.Errorf("%s: %s %s: %v, want it refused", profile, c[0], c[1], r.Err)
			}
		}
		if r := ask(t, w, "read", `{"file_path":"sub/b.txt"}`); r.Err != nil {
			t.Errorf("%s: read: %v", profile, r.Err)
		}
		x, err := w.Why(t.Context(), &tool.Call{Name: "edit", Args: json.RawMessage(edits), Dir: w.Dir()})
		if err != nil || x.Name != "multi_edit" || x.Call.Verdict != tool.Deny {
			t.Errorf("%s: why says %+v, %v", profile, x, err)
		}
	}
}

// Where one of two tools is off, the list does not speak of it in the other, and shows the one that is there.
func TestSmallDoesNotOfferWhatIsOff(t *testing.T) {
	v := newPlace(t).open(inProfileSmall, func(o *Options) { o.Layers.DisabledTools = []string{"multi_edit", "ls"} }).Kit().View()
	edit, read := listedAs(t, v, "edit"), listedAs(t, v, "read")
	if strings.Contains(string(edit.Input.JSON()), EditsParam) || strings.Contains(read.Doc.Full(), "folder") {
		t.Errorf("what is off is offered: %s, %q", edit.Input.JSON(), read.Doc.Full())
	}
	v = newPlace(t).open(inProfileSmall, func(o *Options) { o.Layers.DisabledTools = []string{"edit", "read"} }).Kit().View()
	listedAs(t, v, "multi_edit")
	listedAs(t, v, "ls")
}

// The job of a call, with its digest, is the same in every profile and by either name.
func TestACallMeansTheSameInEveryProfile(t *testing.T) {
	p := newPlace(t).put("a.txt", "a\n").put("sub/b.txt", "b\n")
	digests := func(profile, name, args string) tool.Digest {
		k, err := p.open().NewKit(KitOptions{Profile: profile})
		if err != nil {
			t.Fatal(err)
		}
		j, err := k.Understand(t.Context(), &tool.Call{Name: name, Args: json.RawMessage(args), Dir: p.dir})
		if err != nil {
			t.Fatalf("%s %s: %v", name, args, err)
		}
		return j.Digest(nil)
	}
	const one, several = `{"file_path":"a.txt","old_string":"a","new_string":"b"}`, `{"file_path":"a.txt","edits":[{"old_string":"a","new_string":"b"}]}`
	for _, c := range []struct{ as, of, name, args string }{
		{"edit", one, "edit", one},
		{"multi_edit", several, "multi_edit", several},
		{"multi_edit", several, "edit", several},
		{"multi_edit", several, "Edit", `{"path":"a.txt","old_string":"","new_string":null,"replace_all":false,"edits":[{"old_string":"a","new_string":"b"}]}`},
		{"edit", one, "edit", `{"file_path":"a.txt","old_string":"a","new_string":"b","edits":null}`},
		{"edit", one, "edit", `{"file_path":"a.txt","old_string":"a","new_string":"b","edits":[]}`},
		{"edit", `{"file_path":"a.txt","old_string":"edits","new_string":""}`, "edit", `{"file_path":"a.txt","old_string":"edits","new_string":""}`},
		{"ls", `{"path":"sub/"}`, "read", `{"file_path":"sub/"}`},
		{"ls", `{"path":"sub/"}`, "read", `{"file_path":"sub/","file_paths":[],"start_line":null,"limit":null}`},
		{"ls", `{"path":"sub/"}`, "read", `{"path":"sub/",}`},
		{"read", `{"file_path":"a.txt"}`, "read", `{"file_path":"a.txt"}`},
	} {
		want := digests("default", c.as, c.of)
		for _, profile := range ProfileNames {
			if got := digests(profile, c.name, c.args); got != want {
				t.Errorf("profile %s: %s %s is not the job of %s %s", profile, c.name, c.args, c.as, c.of)
			}
		}
	}
}

// A client whose model has a todo list of its own is shown none; one of which that is not known is.
func TestSmallListsTodosWhereTheClientHasNone(t *testing.T) {
	todos := func(config string, c server.Client) bool {
		t.Helper()
		p := newPlace(t).put(userConfig, config)
		w := p.open(inProfileSmall)
		k, s, err := w.ClientKit(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		if !k.View().Has("todo_write") {
			t.Errorf("%s cannot call todo_write", c.Name)
		}
		return slices.Contains(namesOf(k.View().Specs()), "todo_write")
	}
	for name, want := range map[string]bool{
		"claude-code": false, "codex-mcp-client": false, "gemini-cli-mcp-client": false, "opencode": false,
		"Visual Studio Code": false, "claude-ai": true, "somebody": true,
	} {
		if got := todos(`{}`, server.Client{Name: name, Stdio: true}); got != want {
			t.Errorf("%s: todo tools listed: %v, want %v", name, got, want)
		}
	}
	const own = `{"client_profiles":{"somebody":{"todos":true},"claude-code":{"todos":false}}}`
	if todos(own, server.Client{Name: "somebody"}) || !todos(own, server.Client{Name: "claude-code"}) {
		t.Error("client_profiles does not say which clients have todo tools")
	}
}

// Every provider is declared the same tools as in the list, with edits in edit.
func TestSmallIsDeclaredForEveryProvider(t *testing.T) {
	v := newPlace(t).open(inProfileSmall).Kit().View()
	for _, d := range dialect.Dialects() {
		set := dialect.Declare(d, agent.Tools(v), dialect.Options{})
		if len(set.Omitted) > 0 || len(set.Declarations) != v.Len() {
			t.Errorf("%s: %d of %d declared, left out: %v", d, len(set.Declarations), v.Len(), set.Omitted)
		}
		said := map[string]string{}
		for _, x := range set.Declarations {
			said[x.Name] = string(x.JSON)
		}
		if !strings.Contains(said["edit"], `"`+EditsParam+`"`) || !strings.Contains(said["read"], "ends in /") {
			t.Errorf("%s: edit %s\nread %s", d, said["edit"], said["read"])
		}
	}
}
