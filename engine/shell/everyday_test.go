package shell

import (
	"strings"
	"testing"
)

// What a developer, and an agent, looks at all day. Asking about any of these is a failure as well.
func TestEverydayLookingIsNotAskedAbout(t *testing.T) {
	for _, src := range []string{
		"git status", "git status -sb", "git status --porcelain=v2 --branch", "git log", "git log -1", "git log -p -2", "git log --oneline --graph --all --decorate", "git log --stat -5", "git log --since='2 weeks ago' --author=x --pretty=format:'%h %an %s'",
		"git log -S'func main' -- '*.go'", "git log -G TODO --name-only", "git log --follow -p -- src/a.go", "git log HEAD~5..HEAD --no-merges", "git log origin/main..HEAD", "git log --name-status --diff-filter=D", "git log -L10,20:main.go", "git log --shortstat | head -40",
		"git diff", "git diff --cached", "git diff --stat HEAD~1", "git diff HEAD -- src/", "git diff main...HEAD", "git diff --name-only main", "git diff --name-status HEAD^ HEAD", "git diff -U10 a.go", "git diff --word-diff", "git diff --check", "git diff HEAD~2 HEAD --numstat",
		"git diff --no-color | grep '^+' | wc -l", "git diff -w --ignore-blank-lines", "git show", "git show HEAD", "git show HEAD~3 --stat", "git show HEAD:src/a.go", "git show --name-only abc123", "git show v1.0.0", "git show HEAD:go.mod | head -5", "git blame main.go", "git blame -L 10,+5 main.go",
		"git blame -w -C main.go | head", "git branch", "git branch -a", "git branch -vv", "git branch --show-current", "git branch --contains abc", "git branch --merged main", "git branch -r --sort=-committerdate", "git tag", "git tag -l", "git tag --sort=-v:refname | head -3", "git remote -v", "git remote get-url origin",
		"git stash list", "git stash show -p", "git reflog", "git reflog -n 10", "git ls-files", "git ls-files --others --exclude-standard", "git ls-files -m", "git ls-tree -r HEAD --name-only", "git rev-parse HEAD", "git rev-parse --abbrev-ref HEAD", "git rev-parse --short HEAD", "git rev-list --count HEAD",
		"git describe --tags --always", "git shortlog -sn", "git grep -n TODO", "git grep -l 'func main' -- '*.go'", "git config --list", "git config --get remote.origin.url", "git config user.email", "git cat-file -p HEAD", "git merge-base main HEAD", "git worktree list", "git check-ignore -v a.log", "git count-objects -vH", "git for-each-ref --sort=-committerdate refs/heads", "git --no-pager diff", "git -C sub log -3",
		"git submodule status", "git log --format=%B -n 1", "git var GIT_AUTHOR_IDENT", "git cherry -v main", "git --version", "git show-ref --heads", "git log | cat", "git diff | cat",
		"ls", "ls -la", "ls -lah src", "ls -1", "ls -R src", "ls -lt | head", "ls -d */", "ls *.go | wc -l", "ls -la | grep go", "ls src/{a,b}", "ls -lS --color=never", "cat go.mod", "cat -n main.go", "cat a.txt b.txt", "cat main.go | head -50", "cat package.json | jq .scripts",
		"head main.go", "head -n 50 main.go", "head -c 100 main.go", "head -5 *.md", "tail main.go", "tail -50 log.txt", "tail -n +10 main.go | head -20", "grep foo main.go", "grep -rn foo src", "grep -rn --include='*.ts' 'useState' .", "grep -RIl TODO .", "grep -E 'a|b' f", "grep -c x f", "grep -A3 -B3 foo main.go",
		"grep -v '^#' conf", "grep -rn foo . | grep -v node_modules | head -20", "grep -nE '^(func|type)' *.go", "grep -o '[0-9]*' f", "grep -w foo -r src", "grep -i error log.txt | tail -20 | cut -c1-100", "rg foo", "rg -n 'func \\w+' -t go", "rg -l TODO | head", "rg --files -g '*.go'", "rg -A 2 -B 2 foo src", "rg -c foo", "rg -uu foo",
		"wc -l main.go", "wc -l src/*.go", "wc -c < main.go", "sort names.txt", "sort -u a | uniq -c", "sort -k2 -n data.txt | tail", "sort | uniq", "uniq -c names", "cut -d: -f1 f", "cut -f2,3 data.tsv", "tr -d '\\r' < f", "tr ' ' '\\n' < f | sort | uniq -c | sort -rn | head", "sed -n '1,20p' main.go", "sed -n 5p f", "sed -n '/start/,/end/p' f", "sed 's/foo/bar/g' f", "sed -e 's/a/b/' -e 's/c/d/' f", "sed '/^$/d' f", "sed -n '$p' f", "sed 's|/a|/b|' f",
		"awk '{print $1}' f", "awk -F, '{print $2}' data.csv", "awk 'NR==5' f", "awk '/foo/ {print $0}' f", "awk '{s+=$1} END {print s}' f", "awk 'NR>=10 && NR<=20' main.go", "awk 'length > 100' main.go", "awk '{ if ($3 == \"x\") print }' f", "awk 'NR > 1 {print $2}' f",
		"jq . package.json", "jq '.dependencies | keys' package.json", "jq -r '.scripts[]' package.json", "jq -c '.[]' f.json | head", "cat f.json | jq '.a.b'", "diff a b", "diff -u a b", "diff -r a b", "diff <(sort a) <(sort b)", "cmp a b", "comm -12 a b", "file main.go", "stat main.go", "stat -c %y main.go", "du -sh", "du -sh *", "du -h --max-depth=1 | sort -h", "df -h", "tree", "tree -L 2 -I node_modules",
		"pwd", "whoami", "id", "hostname", "uname -a", "date", "date +%Y-%m-%d", "date -u", "uptime", "nproc", "free -h", "ps aux", "ps -ef | grep node", "env", "printenv PATH", "printenv", "echo $PATH", "echo $HOME", "echo \"$USER\"", "which go", "which -a python3", "type ls", "command -v node", "whereis go", "lscpu", "getconf _NPROCESSORS_ONLN",
		"go version", "go env GOPATH", "go env", "go doc fmt.Println", "node -v", "npm -v", "python3 --version", "cargo --version", "gcc --version", "docker --version", "make --version", "java -version", "rustc --version", "gofmt -l .", "gofmt -d main.go", "npm --version && node --version", "ruby --version", "tsc --version",
		"basename a/b/c.go .go", "dirname a/b", "realpath main.go", "readlink -f main.go", "md5sum f", "sha256sum f | cut -d' ' -f1", "base64 f", "base64 -d f", "xxd f | head", "hexdump -C f | head -5", "od -c f | head", "strings bin | grep version", "nl -ba main.go", "tac f", "rev f", "paste a b", "column -t f", "fold -w 80 f", "seq 1 5", "printf 'a\\n'", "echo 'a b'", "true", "sleep 1", "expr 1 + 2",
		"LC_ALL=C sort f", "TZ=UTC date", "PAGER=cat git log -1", "while IFS= read -r line; do echo \"$line\"; done < f", "git ls-files | while read -r f; do echo \"$f\"; done", "for d in src lib; do ls \"$d\"; grep -rn foo $d; done", "for f in a b; do [ -f \"$f\" ] && cat \"$f\"; done", "echo -----", "echo --- a ---", "awk '$1 > 5 || $2 < 3' f", "git config --global user.name", "[ -f go.mod ]", "test -d src && echo yes", "[[ -f a && -d b ]] && cat a", "if [ -f go.mod ]; then head -1 go.mod; fi", "for f in *.go; do echo $f; done", "for f in a.go b.go; do wc -l \"$f\"; done", "for i in 1 2 3; do echo $i; done", "for f in src/*.ts; do echo \"== $f\"; head -5 \"$f\"; done", "while read -r l; do echo \"$l\"; done < f",
		"cd src && ls -la", "cd src && grep -n foo ../main.go", "cd /work/repo && git status", "cd src && git log --oneline -5 -- .", "(cd src && ls)", "ls 2>/dev/null || true", "cat a 2>&1 | head", "cat main.go >/dev/null", "echo ${x:-none}", "echo \"${HOME%/}\"", "echo $((1+2))", "echo \"lines: $(wc -l < main.go)\"", "git log --oneline | wc -l; git status -s | wc -l",
		"ls && echo --- && cat go.mod && echo --- && git log -1", "time git status", "timeout 10 git log -1", "git diff --name-only | xargs -n1 basename", "xargs -a list echo", "unzip -l a.zip", "tar tf a.tar", "tar -tzf a.tgz | head", "zcat a.gz | head", "zgrep foo a.gz",
	} {
		if a := Analyze(src, workspace); a.Verdict != ReadOnly {
			t.Errorf("%q: %s: %s", src, a.Verdict, a.Reason)
		}
	}
}

// A program that stands twice in a section is read once, and a person who reviews it may read the other line.
func TestTheTableSaysEverythingOnce(t *testing.T) {
	seen := map[string]bool{}
	section := ""
	for _, line := range logicalLines(programsText) {
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
			section = line
			if seen[section] {
				t.Errorf("section %s stands twice", section)
			}
			seen[section] = true
			continue
		}
		name, _, ok := strings.Cut(line, "|")
		key := section + " " + strings.Join(strings.Fields(name), " ")
		if section != "[grants]" && section != "[runners]" && section != "[hidden]" && ok && seen[key] {
			t.Errorf("%s stands twice", key)
		}
		seen[key] = true
	}
	for _, s := range []string{"[macros]", "[readonly]", "[wrappers]", "[runners]", "[hidden]", "[never]", "[code]", "[writers]", "[net]", "[grants]"} {
		if !seen[s] {
			t.Errorf("section %s is missing", s)
		}
	}
}
