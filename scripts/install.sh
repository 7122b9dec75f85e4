#!/bin/sh
# Installs helve for the person who runs it: no root, one folder, and only what has the right SHA-256.
#
#   sh install.sh             takes the archive that lies beside this script, or else downloads it
#   sh install.sh --dry-run   says what it would take and write, and does nothing
#
#   HELVE_BASE_URL  where a release's files lie: an address or a folder (default: where this script was published)
#   HELVE_VERSION   the version, without a v (default: the one that this script came with)
#   HELVE_PREFIX    the folder that gets bin/helve (default: ~/.local)
set -eu
# The two lines below are filled in by scripts/release.
base=
version=
base=${HELVE_BASE_URL:-$base}
version=${HELVE_VERSION:-$version}
version=${version#v}

say() { printf 'helve: %s\n' "$*" >&2; }
fail() {
  say "$*"
  exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

dry=
case ${1:-} in
"") ;;
--dry-run | -n) dry=yes ;;
*) fail "unknown word $1: it takes --dry-run, and HELVE_BASE_URL, HELVE_VERSION and HELVE_PREFIX from the environment" ;;
esac

prefix=${HELVE_PREFIX:-}
if [ -z "$prefix" ]; then
  [ -n "${HOME:-}" ] || fail "there is no home folder: set HELVE_PREFIX to the folder that gets bin/helve"
  prefix=$HOME/.local
fi
case $prefix in
/*) ;;
*) prefix=$PWD/$prefix ;;
esac

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

# Where the files are. Beside this script, where it is a file and nothing else is said; a pipe has nothing beside it.
if [ -z "${HELVE_BASE_URL:-}" ]; then
  case $0 in
  *install.sh)
    beside=$(cd "$(dirname "$0")" 2>/dev/null && pwd) || beside=
    if [ -n "$beside" ] && [ -f "$beside/checksums.txt" ]; then
      for file in "$beside"/helve_*_"${os}_$arch.tar.gz"; do
        [ -f "$file" ] && base=$beside
      done
    fi
    ;;
  esac
fi
[ -n "$base" ] || fail "no place to download from: put the release's archive and checksums.txt beside install.sh, or set HELVE_BASE_URL to the address or folder of a release's files"
case $base in
*://*) ;;
*) base=$(cd "$base" 2>/dev/null && pwd) || fail "HELVE_BASE_URL is neither an address nor a folder that is there" ;;
esac

# fetch NAME FILE: curl and wget both take the proxy from the environment.
fetch() {
  case $base in
  file://*) cp "${base#file://}/$1" "$2" ;;
  *://*)
    if have curl; then
      curl -fsSL --retry 2 -o "$2" "$base/$1"
    elif have wget; then
      wget -q -O "$2" "$base/$1"
    else
      fail "neither curl nor wget is installed: install one, or put the archive and checksums.txt beside install.sh"
    fi
    ;;
  *) cp "$base/$1" "$2" ;;
  esac
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

have tar || fail "tar is not installed: install it, it unpacks the archive"
work=$(mktemp -d) || fail "no temporary folder: set TMPDIR to a folder that you may write"
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
other="look whether that can be reached from here, or put the release's archive and checksums.txt beside install.sh"
fetch checksums.txt "$work/checksums.txt" || fail "cannot get $base/checksums.txt: nothing was installed; $other"
# The version that lies there, where none is asked for.
[ -n "$version" ] || version=$(sed -n "s/.* helve_\(.*\)_${os}_$arch\.tar\.gz\$/\1/p" "$work/checksums.txt" | head -n 1)
[ -n "$version" ] || fail "there is no archive for $os/$arch: see $base/checksums.txt"
name=helve_${version}_${os}_${arch}
want=
while read -r digest file; do
  if [ "$file" = "$name.tar.gz" ]; then want=$digest; fi
done <"$work/checksums.txt"
[ -n "$want" ] || fail "version $version has no $name.tar.gz: see $base/checksums.txt"
say "takes $base/$name.tar.gz, writes $prefix/bin/helve"
[ -z "$dry" ] || exit 0
fetch "$name.tar.gz" "$work/archive" || fail "cannot get $base/$name.tar.gz: nothing was installed; $other"
got=$(sum "$work/archive")
[ "$got" = "$want" ] || fail "$name.tar.gz has the SHA-256 $got, the release says $want: nothing was installed; download it again, and do not use one that stays so"
tar -xzf "$work/archive" -C "$work" || fail "cannot unpack $name.tar.gz: nothing was installed; is gzip there, and room in ${TMPDIR:-/tmp}?"
mkdir -p "$prefix/bin" 2>/dev/null || fail "cannot make $prefix/bin: set HELVE_PREFIX to a folder that you may write"
[ ! -d "$prefix/bin/helve" ] || fail "$prefix/bin/helve is a folder: move it away, or set HELVE_PREFIX to another folder"
# Written beside its place, tried there and renamed: a running helve goes on with the old file, and a full disk leaves it whole.
new=$prefix/bin/.helve.new
if ! cp "$work/$name/helve" "$new" || ! chmod 755 "$new"; then
  rm -f "$new"
  fail "cannot write $prefix/bin/helve: what was there is unchanged; set HELVE_PREFIX to a folder that you may write"
fi
if ! "$new" version >/dev/null 2>&1; then
  rm -f "$new"
  fail "the helve in $name.tar.gz does not run on this machine: what was there is unchanged; if no program may run in $prefix, set HELVE_PREFIX to another folder"
fi
if ! mv -f "$new" "$prefix/bin/helve"; then
  rm -f "$new"
  fail "cannot write $prefix/bin/helve: what was there is unchanged"
fi
# What helve upgrade reads. Without it everything but that works.
if mkdir -p "$prefix/share/helve" 2>/dev/null; then
  printf 'base=%s\nversion=%s\n' "$base" "$version" 2>/dev/null >"$prefix/share/helve/install.txt" || true
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
