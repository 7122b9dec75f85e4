package tree

import (
	"slices"
	"strings"

	"helve/internal/names"
)

// fileTypes names kinds of files as ripgrep's -t does, for the names that both know. One line: names, colon, globs.
const fileTypes = `
ada: *.adb *.ads
asciidoc: *.adoc *.asc *.asciidoc
asm: *.asm *.s *.S
avro: *.avdl *.avpr *.avsc
awk: *.awk
bat batch: *.bat
bazel: *.bazel *.bazelrc *.BUILD *.bzl BUILD MODULE.bazel WORKSPACE WORKSPACE.bazel WORKSPACE.bzlmod
c: *.[chH] *.[chH].in *.cats
cabal: *.cabal
clojure: *.clj *.cljc *.cljs *.cljx
cmake: *.cmake CMakeLists.txt
coffeescript: *.coffee
config: *.cfg *.conf *.config *.ini
coq: *.v
cpp: *.[ChH] *.cc *.[ch]pp *.[ch]xx *.hh *.inl *.[ChH].in *.cc.in *.[ch]pp.in *.[ch]xx.in *.hh.in
crystal: Projectfile *.cr *.ecr shard.yml
cs csharp: *.cs
css: *.css *.scss
csv: *.csv
cuda: *.cu *.cuh
cython: *.pyx *.pxi *.pxd
d: *.d
dart: *.dart
diff: *.patch *.diff
docker: *Dockerfile*
elisp: *.el
elixir: *.ex *.eex *.exs *.heex *.leex *.livemd
elm: *.elm
erb: *.erb
erlang: *.erl *.hrl
fish: *.fish
fortran: *.f *.F *.f77 *.F77 *.pfo *.f90 *.F90 *.f95 *.F95
fsharp: *.fs *.fsx *.fsi
go: *.go
gradle: *.gradle *.gradle.kts gradle.properties gradlew gradlew.bat gradle-wrapper.*
graphql: *.graphql *.graphqls
groovy: *.groovy *.gradle
h: *.h *.hh *.hpp
haml: *.haml
haskell hs: *.hs *.hsc *.cpphs *.c2hs *.lhs
html: *.htm *.html *.ejs
java: *.java *.jsp *.jspx *.properties
jinja: *.j2 *.jinja *.jinja2
js: *.js *.jsx *.vue *.cjs *.mjs
json: *.json composer.lock *.sarif
jsonl: *.jsonl
julia jl: *.jl
jupyter: *.ipynb *.jpynb
kotlin: *.kt *.kts
less: *.less
license: COPYING* COPYRIGHT* EULA* LICENSE* LICENCE* NOTICE* PATENTS*
lisp: *.el *.jl *.lisp *.lsp *.sc *.scm
lock: *.lock package-lock.json
log: *.log
lua: *.lua
m4: *.ac *.m4
make mk: *.mk *.mak [Gg][Nn][Uu]makefile [Mm]akefile [Gg][Nn][Uu]makefile.am [Mm]akefile.am [Gg][Nn][Uu]makefile.in [Mm]akefile.in Makefile.*
markdown md: *.markdown *.md *.mdown *.mdwn *.mkd *.mkdn *.mdx
matlab: *.m
meson: meson.build meson_options.txt meson.options
nim: *.nim *.nimf *.nimble *.nims
nix: *.nix
objc: *.h *.m
objcpp: *.h *.mm
ocaml: *.ml *.mli *.mll *.mly
org: *.org *.org_archive
pascal: *.pas *.dpr *.lpr *.pp *.inc
perl: *.perl *.pl *.PL *.plh *.plx *.pm *.t
php: *.php *.php3 *.php4 *.php5 *.php7 *.php8 *.pht *.phtml
po: *.po
prolog: *.pl *.pro *.prolog *.P
protobuf: *.proto
ps: *.cdxml *.ps1 *.ps1xml *.psd1 *.psm1
puppet: *.epp *.erb *.pp *.rb
py python: *.py *.pyi
qml: *.qml
r: *.R *.r *.Rmd *.Rnw *.rmd *.rnw
racket: *.rkt
readme: README* *README
rst: *.rst
ruby: config.ru Gemfile .irbrc Rakefile *.gemspec *.rb *.rbw *.rake
rust: *.rs
sass: *.sass *.scss
scala: *.scala *.sbt
sh: *.bash *.bashrc *.csh *.cshrc *.ksh *.kshrc *.sh *.tcsh *.zsh .bash_login .bash_logout .bash_profile .bashrc .cshrc .kshrc .login .logout .profile .tcshrc .zlogin .zlogout .zprofile .zshenv .zshrc *.env .env bash_login bash_logout bash_profile bashrc profile zlogin zlogout zprofile zshenv zshrc
sml: *.sml *.sig
solidity: *.sol
sql: *.sql *.psql
svelte: *.svelte *.svelte.ts
svg: *.svg
swift: *.swift
systemd: *.automount *.conf *.device *.link *.mount *.path *.scope *.service *.slice *.socket *.swap *.target *.timer
tcl: *.tcl
tex: *.tex *.ltx *.cls *.sty *.bib *.dtx *.ins
tf terraform: *.tf *.tf.json *.tfvars *.tfvars.json *.terraformrc terraform.rc *.terraform.lock.hcl *.tfrc
thrift: *.thrift
toml: *.toml Cargo.lock
ts typescript: *.ts *.tsx *.cts *.mts
txt: *.txt
vala: *.vala
vb: *.vb
verilog: *.v *.vh *.sv *.svh
vhdl: *.vhd *.vhdl
vim vimscript: *.vim .vimrc .gvimrc vimrc gvimrc _vimrc _gvimrc
vue: *.vue
webidl: *.idl *.webidl *.widl
wgsl: *.wgsl
xml: *.xml *.xml.dist *.dtd *.xsl *.xslt *.xsd *.xjb *.rng *.sch *.xhtml
yacc: *.y
yaml: *.yaml *.yml
zig: *.zig
zsh: .zshenv .zlogin .zlogout .zprofile .zshrc *.zsh zlogin zlogout zprofile zshenv zshrc
`

// TypeNames lists the file types that FilterSpec.Types knows, sorted.
func TypeNames() []string {
	var names []string
	for line := range strings.Lines(strings.TrimSpace(fileTypes)) {
		head, _, _ := strings.Cut(line, ":")
		names = append(names, strings.Fields(head)...)
	}
	slices.Sort(names)
	return names
}

// typeGlobs returns the globs of one type, of every type for "all", nil for an unknown one.
func typeGlobs(name string) []string {
	var globs []string
	for line := range strings.Lines(strings.TrimSpace(fileTypes)) {
		head, list, _ := strings.Cut(line, ":")
		if name == "all" || slices.Contains(strings.Fields(head), name) {
			globs = append(globs, strings.Fields(list)...)
		}
	}
	return globs
}

// typeSet compiles the globs of the types to show and of those to leave out, which come last and so win.
func typeSet(types, not []string) (*globSet, error) {
	var globs []string
	for _, name := range types {
		list := typeGlobs(name)
		if list == nil {
			return nil, unknownType(name)
		}
		globs = append(globs, list...)
	}
	for _, name := range not {
		list := typeGlobs(name)
		if list == nil {
			return nil, unknownType(name)
		}
		for _, g := range list {
			globs = append(globs, "!"+g)
		}
	}
	return newGlobSet(globs)
}

// unknownType names the types that are spelled alike: people type an extension, or the whole name of a language,
// where a type's name is wanted. All of them are named only where none is near.
func unknownType(name string) error {
	ext := strings.TrimPrefix(name, ".")
	known := TypeNames()
	var near []string
	for _, one := range known {
		if name != "" && slices.Contains(typeGlobs(one), "*."+ext) {
			near = append(near, one)
		}
	}
	if len(near) > 0 {
		return filterErrorf("unknown file type %q: for *.%s files it is %s", name, ext, strings.Join(near, " or "))
	}
	if near = names.Near(strings.ToLower(ext), known, 1); len(near) > 0 {
		return filterErrorf("unknown file type %q: did you mean %q?", name, near[0])
	}
	return filterErrorf("unknown file type %q: use a glob such as *.%s, or one of %s",
		name, name, strings.Join(known, " "))
}
