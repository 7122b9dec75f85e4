package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// edgeFlags are the flags of the oracles that know edges.
type edgeFlags struct {
	library, server, ext, file, project, floors, save string

	exact          bool
	readable       string
	packages       string
	sample, misses int
}

func (f *edgeFlags) define(flags *flag.FlagSet) {
	flags.StringVar(&f.library, "library", "", "typescript: the folder of the package")
	flags.StringVar(&f.server, "server", "", "server: the command that starts a language server on its pipes")
	flags.StringVar(&f.ext, "ext", "", "server: the extensions of the files that are compared, separated by commas")
	flags.StringVar(&f.file, "truth", "", "truth: a file that an oracle has written")
	flags.StringVar(&f.save, "save", "", "a file to write the truth to, for -oracle truth")
	flags.StringVar(&f.project, "project", "", "the project's name in the table and the floors; empty: the folder's")
	flags.StringVar(&f.floors, "floors", "", "a file of figures below which none may fall")
	flags.BoolVar(&f.exact, "exact", false, "have language servers in PATH settle what the index leaves open")
	flags.StringVar(&f.readable, "readable", "", "with -exact: a folder that the servers may read, besides the usual ones")
	flags.IntVar(&f.sample, "sample", 0, "ask about so many definitions, spread over the folder; 0: about all")
}

// edgeOracles are the oracles of edges.
const edgeOracles = "types, typescript, javac, server, truth"

// wanted tells whether an oracle is one of edges.
func (f *edgeFlags) wanted(oracle string) bool {
	return slices.Contains(strings.Split(edgeOracles, ", "), oracle)
}

// run scores the folders: 1 where one could not be scored, or fell.
func (f *edgeFlags) run(ctx context.Context, oracle string, folders []string, stdout, stderr io.Writer) int {
	code := 0
	fail := func(err error) {
		fmt.Fprintln(stderr, "score-code:", err)
		code = 1
	}
	floors, err := readFloors(f.floors)
	if err != nil {
		fail(err)
		return code
	}
	for _, root := range folders {
		root, err := absolute(root)
		if err != nil {
			fail(err)
			continue
		}
		truth, err := f.ask(ctx, oracle, root)
		if err != nil {
			fail(fmt.Errorf("%s: %w", root, err))
			continue
		}
		if f.save != "" {
			if err := truth.write(f.save); err != nil {
				fail(err)
			}
		}
		fallen, err := scoreEdges(ctx, stdout, root, truth, edgeOptions{
			project:  cmp.Or(f.project, filepath.Base(root)),
			sample:   f.sample,
			misses:   f.misses,
			exact:    f.exact,
			readable: f.readable,
			floors:   floors,
		})
		if err != nil {
			fail(err)
		}
		for _, what := range fallen {
			fail(fmt.Errorf("fell below its floor: %s", what))
		}
	}
	return code
}

// ask runs the oracle.
func (f *edgeFlags) ask(ctx context.Context, oracle, root string) (*edgeTruth, error) {
	switch oracle {
	case "types":
		return goEdges(ctx, root, f.packages)
	case "typescript":
		return runOracle(ctx, "node", filepath.Join("oracles", "typescript.mjs"), f.library, root)
	case "javac":
		return runOracle(ctx, "java", filepath.Join("oracles", "Javac.java"), root)
	case "truth":
		return readTruth(f.file)
	}
	return serverEdges(ctx, root, strings.Fields(f.server), strings.Split(f.ext, ","))
}
