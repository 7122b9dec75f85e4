package shell

import (
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// networked are the commands that cannot do their work without the network: what they want is somewhere else. A program
// alone stands for all its commands; with words behind it, for those that begin so. What works with what is there
// already and only may want more, such as a build, is not here.
const networked = `
curl | wget | aria2c | xh | ssh | scp | sftp | ftp | lftp | telnet | ping | dig | nslookup | whois
traceroute
gh | glab | aws | gcloud | az | doctl | heroku | vercel | netlify | flyctl | huggingface-cli
git clone | git fetch | git pull | git push | git ls-remote | git remote update | git submodule update
git submodule add
git lfs pull | git lfs fetch | git lfs push | svn checkout | svn update | svn commit | hg clone | hg pull
hg push
npm install | npm i | npm ci | npm add | npm update | npm up | npm publish | npm view | npm info
npm search | npm outdated
npm audit | npm login | npm create | npm init vite | npm exec --yes
pnpm install | pnpm i | pnpm add | pnpm update | pnpm up | pnpm dlx | pnpm publish | pnpm create
pnpm outdated | pnpm audit
yarn install | yarn add | yarn upgrade | yarn up | yarn dlx | yarn publish | yarn create | yarn outdated
yarn npm
bun install | bun i | bun add | bun update | bun publish | bun create | bunx | deno install | deno add
deno cache
npx --yes | npx -y
pip install | pip download | pip index | pip3 install | pip3 download | pip3 index | pipx install
pipx upgrade
python -m pip install | python3 -m pip install | python -m pip download | python3 -m pip download
uv add | uv sync | uv lock | uv pip install | uv pip sync | uv tool install | uv python install
uv publish | uvx
poetry install | poetry add | poetry update | poetry lock | poetry publish | pipenv install
pipenv update | pdm install | pdm add
conda install | conda create | conda update | mamba install | mamba create | mamba update
cargo install | cargo fetch | cargo update | cargo add | cargo publish | cargo search | cargo login
rustup update | rustup install
rustup toolchain install | rustup component add | rustup target add
go get | go mod download | go mod tidy
gem install | gem update | gem push | bundle install | bundle update | bundle add
composer install | composer require | composer update | composer create-project
mix deps.get | hex publish | pod install | pod update | dotnet restore | dotnet add package
nuget install | nuget restore
apt install | apt update | apt upgrade | apt-get install | apt-get update | apt-get upgrade | dnf install
yum install | apk add | apk update
brew install | brew update | brew upgrade | pacman -S | zypper install
terraform init | helm pull | helm repo | kubectl | nvm install | fnm install | volta install
asdf install | mise install
docker pull | docker push | docker login | podman pull | podman push | podman login
`

// networkedWords is the table, by program.
var networkedWords = sync.OnceValue(func() map[string][][]string { return phrases(networked) })

// phrases are the entries of a table, by their first words.
func phrases(table string) map[string][][]string {
	out := map[string][][]string{}
	for entry := range strings.SplitSeq(strings.ReplaceAll(table, "\n", "|"), "|") {
		if words := strings.Fields(entry); len(words) > 0 {
			out[words[0]] = append(out[words[0]], words[1:])
		}
	}
	return out
}

// valued are the options before a subcommand that take the next word.
var valued = map[string][]string{
	"git":  {"-C", "-c", "--git-dir", "--work-tree"},
	"npm":  {"--prefix", "-w", "--workspace"},
	"pnpm": {"-C", "--dir", "--filter", "-F"},
	"yarn": {"--cwd"},
	"go":   {"-C"},
	"uv":   {"--directory", "--project"},
}

// local are the options with which a program needs no network.
var local = []string{"--version", "-V", "--help", "-h", "--offline", "--dry-run-offline", "--no-index"}

// NeedsNetwork tells of a line which of its commands cannot do its work without the network, as its program and the
// words that say so: "git push". "" means that none is known.
func NeedsNetwork(a Analysis) string {
	for _, c := range a.Commands {
		if c.guessed {
			continue
		}
		if what := networkOf(c); what != "" {
			return what
		}
	}
	return ""
}

// networkOf is that of one command.
func networkOf(c Command) string {
	if slices.ContainsFunc(c.Words, func(w string) bool { return slices.Contains(local, w) }) {
		return ""
	}
	words := subcommand(c)
	for _, want := range networkedWords()[c.Program] {
		if len(words) >= len(want) && slices.Equal(words[:len(want)], want) {
			return strings.Join(append([]string{c.Program}, want...), " ")
		}
	}
	return networkByOperand(c, words)
}

// networkByOperand is of commands that say by what they are given whether they go anywhere.
func networkByOperand(c Command, words []string) string {
	has := func(f func(string) bool) bool { return slices.ContainsFunc(words, f) }
	switch {
	case c.Program == "rsync" && has(func(w string) bool { return strings.Contains(w, ":") }):
		return "rsync"
	case c.Program == "yarn" && len(words) == 0:
		return "yarn"
	case c.Program == "go" && len(words) > 0 && (words[0] == "install" || words[0] == "run") &&
		has(func(w string) bool { return strings.Contains(w, "@") }):
		return "go " + words[0]
	}
	return ""
}

// subcommand are the words of a command from its subcommand on: the options before it are left out.
func subcommand(c Command) []string {
	words := c.Words[min(1, len(c.Words)):]
	for len(words) > 0 {
		switch w := words[0]; {
		case slices.Contains(valued[c.Program], w):
			words = words[min(2, len(words)):]
		case c.Program == "cargo" && strings.HasPrefix(w, "+"): // the toolchain
			words = words[1:]
		case strings.HasPrefix(w, "-") && !known(c.Program, words):
			words = words[1:]
		default:
			return words
		}
	}
	return nil
}

// known says that the table has an entry for a program which begins with these words.
func known(program string, words []string) bool {
	return slices.ContainsFunc(networkedWords()[program], func(want []string) bool {
		return len(want) > 0 && len(words) >= len(want) && slices.Equal(words[:len(want)], want)
	})
}

// watchers are commands that go on until they are ended, beside an agent's work: they see what it changes later.
const watchers = `
npm start | npm run dev | npm run start | npm run serve | npm run watch | npm run preview | npm run storybook
pnpm start | pnpm dev | pnpm run dev | pnpm run start | pnpm run watch | pnpm serve | pnpm watch
yarn start | yarn dev | yarn run dev | yarn run start | yarn serve | yarn watch | bun dev | bun run dev
bun run start
vite | vite dev | vite preview | next dev | next start | nuxt dev | astro dev | remix dev | ng serve
vue-cli-service serve | gatsby develop
react-scripts start | webpack serve | webpack-dev-server | parcel | parcel serve | storybook dev
live-server | http-server | serve
nodemon | tsx watch | node --watch | ts-node-dev | pm2-dev | browser-sync | concurrently | vitest watch
deno task dev
flask run | uvicorn | gunicorn | hypercorn | daphne | fastapi dev | fastapi run | celery worker
jupyter notebook | jupyter lab | streamlit run
python -m http.server | python3 -m http.server | python -m flask | python3 -m flask | python -m uvicorn
python3 -m uvicorn
mkdocs serve | hugo server | hugo serve | jekyll serve | sphinx-autobuild | zola serve | mdbook serve
rails server | rails s | bin/rails server | puma | foreman start | php artisan serve | php -S | mix phx.server
cargo watch | trunk serve | air | reflex | entr | watchexec | watch | fswatch | inotifywait -m | tail -f
tail -F
ptw | pytest-watch | guard | redis-server | postgres | mongod | nginx | caddy run | docker compose up
docker-compose up | tilt up | skaffold dev
`

// watcherWords is the table, by program.
var watcherWords = sync.OnceValue(func() map[string][][]string { return phrases(watchers) })

// watching are options by which a program goes on.
var watching = []string{"--watch", "-w", "--watchAll", "--watch=true", "--serve"}

// watchPrograms are those that have such options; elsewhere -w means something else.
var watchPrograms = []string{
	"tsc", "jest", "vitest", "webpack", "rollup", "esbuild", "tailwindcss", "sass", "mocha", "tsup", "swc", "babel",
}

// GoesOn tells of a line which of its commands is known to go on until somebody ends it, as a server or a watcher: its
// program and the words that say so. "" means that none is known.
func GoesOn(a Analysis) string {
	for _, c := range a.Commands {
		if c.guessed {
			continue
		}
		for _, want := range watcherWords()[c.Program] {
			words := c.Words[min(1, len(c.Words)):]
			if len(words) >= len(want) && slices.Equal(words[:len(want)], want) && (len(want) > 0 || !once(words)) {
				return strings.Join(append([]string{c.Program}, want...), " ")
			}
		}
		option := func(w string) bool { return slices.Contains(watching, w) }
		if slices.Contains(watchPrograms, c.Program) && slices.ContainsFunc(c.Words, option) {
			return c.Program + " --watch"
		}
	}
	return ""
}

// once says that a program without a subcommand is asked for something that ends.
func once(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains(local, w) || w == "build" || w == "run" || w == "list"
	})
}

// Backgrounds says of a line that a command of it may go on in the background when the shell has ended: it is started
// there, and nothing behind it waits for it or ends it.
func Backgrounds(line string) bool {
	if len(line) > MaxLength || !strings.Contains(line, "&") {
		return false
	}
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return false
	}
	started := false
	for _, s := range f.Stmts {
		started = started && !looksAfter(s) || s.Background
	}
	return started
}

// looksAfter says that a command waits for those in the background, or ends them.
func looksAfter(s *syntax.Stmt) bool {
	found := false
	syntax.Walk(s, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			name := call.Args[0].Lit()
			found = found || name == "wait" || name == "kill" || name == "fg"
		}
		return !found
	})
	return found
}
