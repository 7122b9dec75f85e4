#!/usr/bin/env bash
# Asks helve questions about five pinned projects and for refactorings of them, and fails where an answer is not what was written down:
#   scripts/witness/run.sh DIR              DIR keeps the projects that come from npm
#   scripts/witness/run.sh DIR -before REF  beside each answer that differs, what the state REF answers
#   scripts/witness/run.sh DIR -update      writes down what is answered now: for a change of answers that is meant
set -euo pipefail
dir=$(mkdir -p "${1:?usage: scripts/witness/run.sh DIR [-before REF | -update]}" && cd "$1" && pwd)
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'git worktree remove --force "$work/before" 2>/dev/null || true; chmod -R u+w "$work"; rm -rf "$work"' EXIT

# fetch PACKAGE@VERSION…: those that DIR has not in that version.
fetch() {
  local want missing=()
  for want; do
    grep -qs "\"version\": \"${want##*@}\"" "$dir/node_modules/${want%@*}/package.json" || missing+=("$want")
  done
  [ ${#missing[@]} = 0 ] || npm install --prefix "$dir" --no-audit --no-fund --loglevel=error --ignore-scripts "${missing[@]}" >/dev/null
}
[ -f "$dir/package.json" ] || echo '{"private":true}' >"$dir/package.json"
fetch rxjs@7.8.1 webpack@5.99.9 node-gyp@10.2.0 expo-modules-core@2.3.13

mkdir "$work/projects" "$work/home"
cp -r "$(go mod download -json github.com/spf13/cobra@v1.10.2 | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')" "$work/projects/cobra"
cp -r "$dir/node_modules/rxjs/src" "$work/projects/rxjs"
cp -r "$dir/node_modules/webpack/lib" "$work/projects/webpack"
cp -r "$dir/node_modules/node-gyp/gyp/pylib" "$work/projects/gyp"
cp -r "$dir/node_modules/expo-modules-core" "$work/projects/expo"
chmod -R u+w "$work/projects"

go build -o "$work/helve" ../../cmd/helve
go build -o "$work/witness" .
flags=()
case ${2:-} in
-before)
  git worktree add --quiet --detach "$work/before" "${3:?-before wants a commit}"
  (cd "$work/before" && go build -o "$work/helve-before" ./cmd/helve)
  flags=(-before "$work/helve-before")
  ;;
-update) flags=(-update) ;;
esac
"$work/witness" -helve "$work/helve" -projects "$work/projects" -home "$work/home" "${flags[@]}"
