package shell_test

import (
	"fmt"

	"helve/engine/shell"
)

// A command line is understood by its syntax, and nothing is run.
func ExampleAnalyze() {
	o := shell.Options{Dir: "/work", Home: "/home/ada"}
	for _, line := range []string{
		"ls -l src | head -3",
		"go test ./... && git push",
		"rm -rf ~",
	} {
		a := shell.Analyze(line, o)
		fmt.Printf("%s: %s\n", a.Verdict, line)
		for _, c := range a.Commands {
			fmt.Printf("  %s: %s\n", c.Verdict, c.Program)
		}
	}
	// Output:
	// read-only: ls -l src | head -3
	//   read-only: ls
	//   read-only: head
	// ask: go test ./... && git push
	//   ask: go
	//   ask: git
	// catastrophic: rm -rf ~
	//   catastrophic: rm
}
