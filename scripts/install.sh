#!/bin/sh
# Installs helve for the person who runs it: no root, one folder, and only what has the right SHA-256.
#
#   HELVE_BASE_URL  where a release's files lie (default: where this script was published)
#   HELVE_VERSION   the version, without a v (default: the one that this script came with)
#   HELVE_PREFIX    the folder that gets bin/helve (default: ~/.local)
set -eu
# The two lines below are filled in by scripts/release.
base=
version=
base=${HELVE_BASE_URL:-$base}
version=${HELVE_VERSION:-$version}

say() { printf 'helve: %s\n' "$*" >&2; }
fail() {
  say "$*"
  exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

[ -n "$base" ] || fail "no place to download from: set HELVE_BASE_URL to the address of a release's files"
[ -n "$version" ] || fail "no version: set HELVE_VERSION"
prefix=${HELVE_PREFIX:-}
if [ -z "$prefix" ]; then
  [ -n "${HOME:-}" ] || fail "there is no home folder: set HELVE_PREFIX to the folder that gets bin/helve"
  prefix=$HOME/.local
fi

case $(uname -s) in
Linux) os=linux ;;
Darwin) os=darwin ;;
*) fail "no build for $(uname -s) here: on Windows take the .zip, or Scoop" ;;
esac
case $(uname -m) in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) fail "no build for the processor $(uname -m): build it with Go from a checkout" ;;
esac

# fetch URL FILE: curl and wget both take the proxy from the environment.
fetch() {
  if have curl; then
    curl -fsSL --retry 2 -o "$2" "$1"
  elif have wget; then
    wget -q -O "$2" "$1"
  else
    fail "neither curl nor wget is installed"
  fi
}
sum() {
  if have sha256sum; then
    sha256sum "$1" | cut -d' ' -f1
  elif have shasum; then
    shasum -a 256 "$1" | cut -d' ' -f1
  elif have openssl; then
    openssl dgst -sha256 -r "$1" | cut -d' ' -f1
  else
    fail "nothing here computes a SHA-256: install coreutils or openssl"
  fi
}

name=helve_${version}_${os}_${arch}
work=$(mktemp -d) || fail "no temporary folder"
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
fetch "$base/checksums.txt" "$work/checksums.txt" || fail "cannot download $base/checksums.txt"
want=$(awk -v f="$name.tar.gz" '$2 == f { print $1 }' "$work/checksums.txt")
[ -n "$want" ] || fail "version $version has no $name.tar.gz: see $base/checksums.txt"
fetch "$base/$name.tar.gz" "$work/archive" || fail "cannot download $base/$name.tar.gz"
got=$(sum "$work/archive")
[ "$got" = "$want" ] || fail "$name.tar.gz has the SHA-256 $got, the release says $want: nothing was installed"
tar -xzf "$work/archive" -C "$work" || fail "cannot unpack $name.tar.gz"

mkdir -p "$prefix/bin" || fail "cannot make $prefix/bin: set HELVE_PREFIX to a folder that you may write"
# Written beside its place and renamed: a running helve goes on with the old file, and a full disk leaves it whole.
if ! cp "$work/$name/helve" "$prefix/bin/.helve.new" || ! chmod 755 "$prefix/bin/.helve.new" || ! mv -f "$prefix/bin/.helve.new" "$prefix/bin/helve"; then
  rm -f "$prefix/bin/.helve.new"
  fail "cannot write $prefix/bin/helve: what was there is unchanged"
fi
say "installed $("$prefix/bin/helve" version)"
# Earlier versions were two programs. What is called so and is none of them stays.
old=$prefix/bin/helve-full
case $("$old" version 2>/dev/null </dev/null || true) in
"helve-full "* | "helve "*)
  rm -f "$old" && say "removed $old: helve does all that it did" &&
    say "hint: helve doctor names the files that still start it, and helve init changes them"
  ;;
esac
case ":$PATH:" in
*":$prefix/bin:"*) ;;
*) say "hint: $prefix/bin is not on PATH: add it, for example  export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
