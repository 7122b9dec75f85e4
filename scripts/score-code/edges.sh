#!/usr/bin/env bash
# Prints how right the edges between definitions are in small real projects, and fails where a figure falls below floors.txt:
#   scripts/score-code/edges.sh DIR        Go, TypeScript, JavaScript, Python
#   scripts/score-code/edges.sh DIR all    and larger ones, Java (from Debian's sources) and C++, with what apt installs (JDK, clangd)
# DIR keeps the oracles and the projects; nothing of them is run but the oracles themselves.
set -euo pipefail
dir=$(mkdir -p "${1:?usage: scripts/score-code/edges.sh DIR [all]}" && cd "$1" && pwd)
cd "$(dirname "$0")"
mkdir -p "$dir"
[ -f "$dir/package.json" ] || echo '{"private":true}' >"$dir/package.json"
wanted="typescript@5.9.3 pyright@1.1.414 rxjs@7.8.1 express@4.21.2 webpack@5.99.9 node-gyp@10.2.0"
[ "${2:-}" != all ] || wanted+=" viem@2.30.0 re2@1.17.7 intelephense@1.14.4"
if [ "$(cat "$dir/installed" 2>/dev/null)" != "$wanted" ]; then
  npm install --prefix "$dir" --no-audit --no-fund --loglevel=error --ignore-scripts $wanted >/dev/null
  echo "$wanted" >"$dir/installed"
fi
modules=$dir/node_modules
score=$(mktemp -d)
trap 'rm -rf "$score"' EXIT
mkdir "$score/temp"
export TMPDIR=$score/temp # what an oracle leaves behind goes with it
go build -o "$score/score" .
code=0

# edges PROJECT ORACLE FOLDER [flags]: scores one project.
edges() {
  "$score/score" -project "$1" -floors floors.txt -oracle "$2" "${@:4}" "$3" || code=1
}

edges cobra types "$(cd ../.. && go list -m -f '{{.Dir}}' github.com/spf13/cobra)" -packages ./...
for project in rxjs/src express/lib webpack/lib; do
  edges "${project%%/*}" typescript "$modules/$project" -library "$modules/typescript"
done
pyright="node $modules/pyright/langserver.index.js --stdio"
edges packaging server "$modules/node-gyp/gyp/pylib/packaging" -server "$pyright" -ext py

if [ "${2:-}" = all ]; then
  mkdir -p "$score/viem" "$score/src"
  (cd "$modules/viem" && find . -name '*.ts' ! -name '*.d.ts' ! -path './_*' -print0 | tar -c --null -T - -f - | tar -x -C "$score/viem")
  edges viem typescript "$score/viem" -library "$modules/typescript"
  edges gyp server "$modules/node-gyp/gyp/pylib" -server "$pyright" -ext py
  (cd "$score/src" && apt-get source --download-only libcommons-lang3-java >/dev/null && for f in *.orig.tar.*; do tar xf "$f"; done)
  edges lang3 javac "$score"/src/commons-lang-*/src/main/java
  # etcd's modules stand beside each other in its repository: by itself, each takes the others' releases.
  etcd=$(go mod download -json go.etcd.io/etcd/server/v3@v3.5.21 | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
  cp -r "$etcd" "$score/etcd" && chmod -R u+w "$score/etcd"
  (cd "$score/etcd" && sed -i '/^replace (/,/^)/d' go.mod && GOFLAGS=-mod=mod go list -deps -test ./... >/dev/null)
  GOFLAGS=-mod=mod edges etcd types "$score/etcd" -packages ./...
  (cd "$score/src" && apt-get download python3-django php-doctrine-orm >/dev/null && for f in *.deb; do dpkg-deb -x "$f" .; done)
  mkdir "$score/django" && cp -r "$score/src/usr/lib/python3/dist-packages/django" "$score/django"
  edges django server "$score/django" -server "$pyright" -ext py
  edges doctrine server "$score/src/usr/share/php" -server "node $modules/intelephense/lib/intelephense.js --stdio" -ext php
  re2=$score/re2
  cp -r "$modules/re2/vendor" "$re2"
  printf -- '-I.\n-std=c++17\n-xc++\n' >"$re2/compile_flags.txt"
  edges re2 server "$re2" -server "clangd --log=error -j=1 --background-index=false" -ext cc,h
fi
exit $code
