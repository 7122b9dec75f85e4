// Command score-refactor measures the renames of package code against language servers: gopls for Go, tsserver for
// TypeScript. It asks both to rename the same definitions, spread over a project, and compares every edit.
//
//	score-refactor -server gopls -names 120 FOLDER
//	score-refactor -server node_modules/typescript/lib/tsserver.js -names 120 FOLDER
//	score-refactor -exact -server gopls FOLDER
//	score-refactor -signatures 100 FOLDER
//	score-refactor -moves 100 FOLDER
//	score-refactor -packages 100 FOLDER
//
// The folder must be a writable copy: where the edits differ from the server's, they are written, the project is
// built (go vet, tsc), and taken back. A rename counts as wrong if the project builds before it and not after it. Of
// signatures and moves no server is asked: all that is done is written, built and taken back. With -exact, servers in
// PATH settle what names do not explain, as exact mode has them do. run.sh has a small part of it, for CI.
//
// It is a module of its own, so that nothing of it is built with helve.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"helve/engine/code"
	"helve/engine/sandbox"
)

func main() {
	sandbox.Init() // for -exact
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// options say what is scored, and how.
type options struct {
	server string // gopls, or the path of tsserver.js
	names  int    // of renames

	edits                       int // in place of renames
	language                    string
	signatures, moves, packages int // in place of renames

	verbose  bool
	exact    bool
	readable string // by the servers that are asked then
}

func (o *options) define(flags *flag.FlagSet) {
	flags.StringVar(&o.server, "server", "gopls", "gopls, or the path of tsserver.js")
	flags.IntVar(&o.names, "names", 120, "how many definitions are renamed")
	flags.IntVar(&o.edits, "edits", 0, "in place of renames, so many harmless and so many harmful edits in -language")
	flags.StringVar(&o.language, "language", "Go", "Go, Python or TypeScript")
	flags.IntVar(&o.signatures, "signatures", 0, "in place of renames, so many changes of signatures")
	flags.IntVar(&o.moves, "moves", 0, "in place of renames, so many moves to other files")
	flags.IntVar(&o.packages, "packages", 0, "in place of renames, so many moves to other packages of Go")
	flags.BoolVar(&o.verbose, "v", false, "print each refusal and difference")
	flags.BoolVar(&o.exact, "exact", false, "have language servers in PATH settle what names do not explain")
	flags.StringVar(&o.readable, "readable", "", "with -exact: a folder that these servers may read")
}

// languages are those of -language.
var languages = map[string]code.Language{"Go": code.Go, "Python": code.Python, "TypeScript": code.TypeScript}

// run is the command: 0 when nothing was wrong, 1 when something was, 2 for arguments that cannot be read.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("score-refactor", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var o options
	o.define(flags)
	if err := flags.Parse(args); err != nil || flags.NArg() == 0 {
		return 2
	}
	wrong := 0
	for _, dir := range flags.Args() {
		n, err := o.score(ctx, stdout, dir)
		if err != nil {
			fmt.Fprintln(stderr, "score-refactor:", dir, err)
			return 1
		}
		wrong += n
	}
	return min(wrong, 1)
}

// score scores one folder, and answers how many changes of it were wrong.
func (o *options) score(ctx context.Context, out io.Writer, dir string) (wrong int, err error) {
	if o.edits > 0 {
		return 0, scoreEdits(ctx, out, dir, languages[o.language], o)
	}
	if plan, count := o.changes(); plan != nil {
		return scoreChanges(ctx, out, dir, plan, count, o)
	}
	s := &score{options: o, dir: dir, out: out, reasons: reasons{}}
	err = s.run(ctx)
	return s.wrong, err
}

// changes are those that are made in place of renames, and how many; nil: none are.
func (o *options) changes() (plan planned, count int) {
	switch {
	case o.packages > 0:
		return newPackage, o.packages
	case o.moves > 0:
		return newPlace, o.moves
	case o.signatures > 0:
		return newSignature, o.signatures
	}
	return nil, 0
}
