package powershell_test

import (
	"fmt"

	"helve/engine/shell"
	"helve/engine/shell/powershell"
)

// A command line is judged before it runs: what only reads, what a person decides, and what never runs.
func ExampleAnalyze() {
	o := shell.Options{Dir: `C:\work\shop`, Home: `C:\Users\ada`}
	for _, line := range []string{
		`Get-ChildItem -Recurse | Select-Object -First 5`,
		`Remove-Item old.log`,
		`Remove-Item -Recurse C:\Users`,
	} {
		a := powershell.Analyze(line, o)
		fmt.Printf("%v %q\n", a.Verdict, a.Reason)
	}
	// Output:
	// read-only ""
	// ask "Remove-Item is not known to only read"
	// catastrophic "remove-item of C:\\Users destroys more than a workspace"
}
