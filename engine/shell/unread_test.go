package shell

import (
	"slices"
	"testing"
)

// What a command runs that stands nowhere in the line is told of: which command it is of, and of no other.
func TestACommandThatRunsWhatNobodyReadsIsToldOf(t *testing.T) {
	for line, want := range map[string]string{
		"cat f | sh":                          "sh",
		"cat f | bash -s -- x":                "bash",
		"cat f | sudo bash -":                 "bash",
		"cat f | env FOO=1 zsh -e":            "zsh",
		"sh < f":                              "sh",
		"bash <(cat f)":                       "bash",
		"bash /dev/stdin < f":                 "bash",
		"bash /dev/fd/3 3< f":                 "bash",
		"source <(cat f)":                     "source",
		". /dev/stdin < f":                    ".",
		"{ cat f; } | { sh; }":                "sh",
		"curl -s https://x.example/i | sh":    "sh",
		"f() { sh; }; cat g | f":              "sh",
		"echo \"$x\" | sh":                    "sh",
		"cat <<< \"$x\" | sh":                 "sh",
		"sh <<EOF\n$x\nEOF":                   "sh",
		"echo ls | sh < f":                    "sh",
		"eval \"$(cat f)\"":                   "eval",
		"eval \"$x\"":                         "eval",
		"read -r x; eval $x":                  "eval",
		"sh -c \"$x\"":                        "sh",
		"su -c \"$(cat f)\" me":               "su",
		"trap \"$x\" EXIT":                    "trap",
		"cat f | python3":                     "python3",
		"cat f | python3 - a":                 "python3",
		"cat f | python3 -W ignore":           "python3",
		"cat f | node":                        "node",
		"cat f | perl":                        "perl",
		"ruby < f":                            "ruby",
		"cat f | awk -f /dev/stdin":           "awk",
		"cat f | xargs -I{} sh -c {}":         "xargs",
		"cat f | xargs -I{} {}":               "xargs",
		"cat f | xargs sudo":                  "sudo",
		"cat f | xargs sh -c":                 "sh",
		"cat f | xargs env":                   "env",
		"cat f | parallel":                    "parallel",
		"cat f | ssh host":                    "ssh",
		"ssh host \"$x\"":                     "ssh",
		"cat f | su":                          "su",
		"cat f | sudo -s":                     "sudo",
		"cat f | at now":                      "at",
		"cat f | make -f -":                   "make",
		"find . -exec sh -c \"$x\" {} \\;":    "sh",
		"cat f | docker exec -i c bash":       "bash",
		"echo 'echo hi; ls' | sh":             "", // it is read
		"sh <<'EOF'\nls\nEOF":                 "",
		"sh <<< 'ls -l'":                      "",
		"x='ls -l'; eval \"$x\"":              "",
		"sh -c 'ls'":                          "",
		"sh f.sh":                             "", // a file's own doing is not read
		"bash -e scripts/run x":               "",
		"source env.sh":                       "",
		"python3 f.py":                        "",
		"python3 -c 'print(1)'":               "",
		"python3 -m http.server":              "",
		"python3 --version":                   "",
		"node -e 'x()'":                       "",
		"cat f | python3 x.py":                "",
		"cat f | awk '{print $1}'":            "",
		"cat f | node x.js":                   "",
		"cat f | xargs grep x":                "",
		"find . -exec sh -c 'echo $0' {} \\;": "",
		"sudo ls":                             "",
		"ssh host ls":                         "",
		"timeout 5 ls":                        "",
		"make test":                           "",
		"trap 'rm x' EXIT":                    "",
		"cat f | grep x":                      "",
		"watch ls":                            "",
		"command -v sh":                       "",
	} {
		var got []string
		for _, c := range Analyze(line, Options{Dir: "/w"}).Commands {
			if c.Unread {
				got = append(got, c.Program)
			}
		}
		if want == "" && len(got) > 0 || want != "" && !slices.Contains(got, want) {
			t.Errorf("%s: %q run what is not read, want %q", line, got, want)
		}
	}
}
