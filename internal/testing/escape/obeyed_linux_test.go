package escape

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

//go:embed testdata/obeyed.txt
var obeyedText string

// A trap is what the person set up, what a command makes of it, and what the person does then.
type trap struct {
	name                  string
	setup, command, after string
}

func traps() []trap {
	var out []trap
	for line := range strings.Lines(obeyedText) {
		name, begins := strings.CutPrefix(line, "-- ")
		if begins {
			out = append(out, trap{name: strings.TrimSpace(name)})
			continue
		}
		if len(out) == 0 || strings.TrimSpace(line) == "" {
			continue
		}
		t := &out[len(out)-1]
		next, isNext := strings.CutPrefix(line, "> ")
		switch {
		case !isNext:
			t.setup += line
		case t.command == "":
			t.command = next
		default:
			t.after += next
		}
	}
	return out
}

// forms are how the path stands there that the person's settings name.
var forms = []string{"there", "absent", "link", "dangling"}

// helpers are what the parts of a trap call.
const helpers = `
exec </dev/null >/dev/null 2>&1
export GIT_TERMINAL_PROMPT=0
have() {
	mkdir -p "$(dirname "$1")"
	at=$1
	rm -f "$at"
	case $FORM in
	absent) return ;;
	link | dangling)
		mkdir -p real
		ln -s "$PWD/real/$(basename "$1")" "$1"
		at=real/$(basename "$1") ;;
	esac
	[ $FORM = dangling ] && return
	if [ $# = 2 ]; then echo "$2" >"$at"; else printf '#!/bin/sh\nexit 0\n' >"$at" && chmod +x "$at"; fi
}
evil() { mkdir -p "$(dirname "$1")"; printf '#!/bin/sh\ntouch "$HOME/marked"\nexit 0\n' >"$1"; chmod +x "$1"; }
evil_js() { mkdir -p "$(dirname "$1")"; echo "require('fs').writeFileSync(process.env.HOME + '/marked', ''); module.exports = {}" >"$1"; }
project() { echo '{"name":"x","version":"1.0.0","scripts":{"a":"node -e 1"}}' >package.json; }
stands() { grep -qs marked "$1" && touch ~/marked; }
commits() (
	export GIT_INDEX_FILE=$(git rev-parse --absolute-git-dir)/index-of-commits
	git read-tree HEAD
	git update-index --add --cacheinfo "100644,$(echo "$1" | git hash-object -w --stdin),$2"
	git commit-tree -p HEAD -m commits "$(git write-tree)"
	rm -f "$GIT_INDEX_FILE"
)
committed() { git add -A -f .; git commit -q -m committed; }
trusted() { mkdir -p ~/.config/direnv; printf '[global]\nload_dotenv = true\n[whitelist]\nprefix = ["%s"]\n' "$PWD" >~/.config/direnv/direnv.toml; }
prompted() { printf '. /usr/lib/git-core/git-sh-prompt\nGIT_PS1_SHOWDIRTYSTATE=1 GIT_PS1_SHOWUNTRACKEDFILES=1\nPROMPT_COMMAND="__git_ps1 a b"\n' >~/.bashrc; }
prompt() { printf 'true\n' | timeout 60 bash --noprofile -i; }
edit() { TERM=xterm timeout -k 1 60 script -qec "vim -c q${1:+ $1}" /dev/null; }
checked() { # a hook of pre-commit's that runs a program
	printf 'repos:\n- repo: local\n  hooks: [{id: c, name: c, entry: %s, language: script, always_run: true}]\n' "$1" >"${2:-.pre-commit-config.yaml}"
}
in_tmux() { # a server, seen in another one, until its status line was shown, or the command in it has ended
	t() { name=$1; shift; TERM=xterm TMUX= timeout 60 tmux -L "$name-$$" "$@"; }
	t seen new-session -d "${1:-sleep 100}"
	t around -f /dev/null new-session -d "TMUX= tmux -L seen-$$ attach"
	for i in $(seq 600); do [ -e ~/looked ] || ! t seen list-sessions && break; sleep 0.1; done
	t seen kill-server; t around kill-server
}
settings() { mkdir -p "$(dirname "$1")"; printf '[core]\n\tfsmonitor = "touch ~/marked; false"\n' >"$1"; }
`

// trapped has a trap set up, sprung by a holder, and looked at; it tells whether a mark is left.
func (p *place) trapped(x trap, form string, hold func(script string)) bool {
	head := "export HOME='" + p.home + "' FORM=" + form + "\n" + helpers
	p.run(head + x.setup)
	os.Remove(p.mark())
	hold(head + x.command)
	os.Remove(p.mark())
	p.run(head + x.after)
	_, err := os.Lstat(p.mark())
	return err == nil
}

// eachTrap runs a share of the traps in every form.
func eachTrap(t *testing.T, run func(t *testing.T, x trap, form string)) {
	n := 0
	for _, x := range traps() {
		for _, form := range forms {
			if n++; n%*share > 0 && *share > 1 {
				continue
			}
			t.Run(x.name+", "+form, func(t *testing.T) {
				if program, _, _ := strings.Cut(x.name, ":"); !installed(program) {
					t.Skipf("%s is not installed: see scripts/npm-tools", program)
				}
				t.Parallel()
				run(t, x, form)
			})
		}
	}
}

// managers is where the package managers of scripts/npm-tools are.
func managers() string {
	if dir := os.Getenv("HELVE_NPM"); dir != "" {
		return filepath.Join(dir, "managers", "node_modules", ".bin")
	}
	return ""
}

// installed reports a program that a person would find.
func installed(program string) bool {
	if _, err := exec.LookPath(program); err == nil {
		return true
	}
	_, err := os.Stat(filepath.Join(managers(), program))
	return err == nil && managers() != ""
}

// repositoryPlace is a workspace with a repository that is the same for all.
func repositoryPlace(t *testing.T, template string) *place {
	p := newPlace(t)
	if out, err := exec.Command("cp", "-a", template+"/.", p.work).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	t.Cleanup(func() { exec.Command("chmod", "-R", "u+rwX", p.base).Run() })
	return p
}

func trapTemplate(t *testing.T) string {
	p := newPlace(t)
	p.outside(repository)
	p.outside("git checkout -q -b other HEAD~1 && echo other >>a && git commit -q -a -m other && git checkout -q main")
	return p.work
}

// Nothing that a command writes is run by what the person's settings name, whether it was there, was not, or lies behind a link.
func TestNoSettingOfThePersonLeadsToAMark(t *testing.T) {
	template := trapTemplate(t)
	for who, hold := range map[string]holder{"namespaces": layered, "landlock": byLandlock} {
		t.Run(who, func(t *testing.T) {
			eachTrap(t, func(t *testing.T, x trap, form string) {
				p := repositoryPlace(t, template)
				if p.trapped(x, form, func(script string) { hold(t, p, script) }) {
					t.Error("it left a mark")
				}
				if p.after(starts) {
					t.Error("it left a mark for another program than the one that it was after")
				}
			})
		})
	}
}

// A trap that would mark nothing anyway shows nothing.
func TestTheSettingsOfThePersonLeadToMarksWhereNothingHoldsThem(t *testing.T) {
	template := trapTemplate(t)
	eachTrap(t, func(t *testing.T, x trap, form string) {
		p := repositoryPlace(t, template)
		if !p.trapped(x, form, p.run) {
			state, _ := exec.Command("find", filepath.Dir(p.work), "-not", "-path", "*/objects/*", "-ls").Output()
			t.Errorf("it leaves no mark\n%s", state)
		}
	})
}
