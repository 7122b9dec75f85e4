#!/usr/bin/env bash
# Renames some definitions of a project in Go and of one in TypeScript, compares with gopls and tsserver, and fails where one is wrong:
#   scripts/score-refactor/run.sh DIR [NAMES]
# DIR/node_modules has rxjs and typescript, as scripts/score-code/edges.sh leaves them there; gopls is in PATH.
set -euo pipefail
modules=$(cd "${1:?usage: scripts/score-refactor/run.sh DIR [NAMES]}/node_modules" && pwd)
names=${2:-40}
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/score" .
cp -r "$(cd ../.. && go list -m -f '{{.Dir}}' github.com/spf13/cobra)" "$work/cobra"
cp -r "$modules/rxjs/src" "$work/rxjs"
chmod -R u+w "$work"
rm "$work"/rxjs/tsconfig*.json # of several builds: the one here has all files, and names none outside
cat >"$work/rxjs/tsconfig.json" <<'JSON'
{
  "compilerOptions": {
    "strict": true, "noEmit": true, "skipLibCheck": true, "types": [], "baseUrl": ".",
    "target": "es2020", "module": "esnext", "moduleResolution": "bundler", "lib": ["es2021", "dom", "dom.iterable"],
    "paths": { "rxjs": ["./index"], "rxjs/*": ["./*"] }
  },
  "include": ["**/*.ts"]
}
JSON
"$work/score" -server gopls -names "$names" "$work/cobra"
"$work/score" -server "$modules/typescript/lib/tsserver.js" -names "$names" "$work/rxjs"
