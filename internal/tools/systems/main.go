// Command systems type-checks the packages of a folder, with their tests, as they are built for other systems:
//
//	systems -root FOLDER SYSTEM…
//
// All is read from its source. Nothing is compiled, which for a system that nobody builds for here takes minutes.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"golang.org/x/tools/go/packages"
)

func main() {
	root := flag.String("root", ".", "the folder of the packages")
	flag.Parse()
	if err := run(*root, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "systems:", err)
		os.Exit(1)
	}
}

func run(root string, systems []string) error {
	if len(systems) == 0 {
		return errors.New("usage: systems -root FOLDER SYSTEM…, for example systems -root ../.. darwin windows")
	}
	var all error
	for _, system := range systems {
		all = errors.Join(all, check(root, system))
	}
	return all
}

// most is how many mistakes are told of one system.
const most = 20

// check type-checks everything below a folder for one system, and what it imports.
func check(root, system string) error {
	list, err := packages.Load(&packages.Config{
		Mode:  packages.LoadAllSyntax,
		Dir:   root,
		Tests: true,
		Env:   append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0"),
	}, "./...")
	if err != nil {
		return fmt.Errorf("%s: %w", system, err)
	}
	var found []error
	n := 0
	packages.Visit(list, nil, func(p *packages.Package) {
		n++
		for _, e := range p.Errors {
			found = append(found, fmt.Errorf("%s: %s", system, e))
		}
	})
	if len(found) == 0 {
		fmt.Printf("%s: %d packages\n", system, n)
	}
	return errors.Join(found[:min(len(found), most)]...)
}
