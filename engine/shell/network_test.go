package shell_test

import (
	"testing"

	"helve/engine/shell"
)

func TestLinesThatNeedTheNetworkAreKnown(t *testing.T) {
	for line, want := range map[string]string{
		"git push":                               "git push",
		"git -C sub -c a=b pull --rebase":        "git pull",
		"cd web && npm ci":                       "npm ci",
		"npm --prefix web install left-pad":      "npm install",
		"yarn":                                   "yarn",
		"pnpm -F web add x":                      "pnpm add",
		"npx -y create-thing":                    "npx -y",
		"python3 -m pip install -r req.txt":      "python3 -m pip install",
		"sudo apt-get install -y jq":             "apt-get install",
		"cargo +nightly install ripgrep":         "cargo install",
		"go get example.com/x@latest":            "go get",
		"go install example.com/x@latest":        "go install",
		"go run example.com/x@v1 -h2":            "go run",
		"rsync -a . host:dir":                    "rsync",
		"if true; then curl -fsSL x.example; fi": "curl",
		"bash -c 'wget x.example'":               "wget",
		"timeout 5 ssh host true":                "ssh",

		"git status":                   "",
		"git log --oneline":            "",
		"npm test":                     "",
		"npm run install-hooks":        "",
		"cargo build --release":        "",
		"go build ./...":               "",
		"go install ./cmd/x":           "",
		"go run . -a@b":                "go run",
		"pip --version":                "",
		"npm install --offline":        "",
		"curl --version":               "",
		"rsync -a a/ b/":               "",
		"echo git push":                "",
		"yarn test":                    "",
		"":                             "",
		"'":                            "",
		"pip install --no-index ./x":   "",
		"grep -r 'npm install' docs":   "",
		"git commit -m 'git push now'": "",
	} {
		if got := shell.NeedsNetwork(shell.Analyze(line, shell.Options{})); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func TestLinesThatGoOnAreKnown(t *testing.T) {
	for line, want := range map[string]string{
		"npm run dev":                "npm run dev",
		"cd web && vite --host":      "vite",
		"tsc -p . --watch":           "tsc --watch",
		"python3 -m http.server 80":  "python3 -m http.server",
		"tail -f log":                "tail -f",
		"vite build":                 "",
		"npm run build":              "",
		"tsc -p .":                   "",
		"grep -w watch f":            "",
		"air --version":              "",
		"tail -n 3 log":              "",
		"docker compose up":          "docker compose up",
		"FOO=1 flask run --port 900": "flask run",
	} {
		if got := shell.GoesOn(shell.Analyze(line, shell.Options{})); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func TestALineThatEndsInTheBackgroundIsKnown(t *testing.T) {
	for line, want := range map[string]bool{
		"server &": true, "a; b &": true, "a & ": true, "a & # x": true, "a & b": true, "a & wait; b &": true, "a & sleep 1; curl x": true, "(a; b) &": true, "a &\n": true,
		"a && b": false, "a & b; kill $!": false, "(a & b)": false, "echo '&": false, `echo \&`: false, "echo 'a &'": false, "a & wait": false, "": false,
	} {
		if got := shell.Backgrounds(line); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}
