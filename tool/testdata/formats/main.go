// Command formats is for go vet alone: every line with a want comment must be found, and no other.
package main

import "helve/tool"

func main() {
	name := "Ada"
	use(tool.Textf("Hello, %s"))                                  // want "Textf format %s reads arg #1"
	use(tool.Textf("Hello, ", name))                              // want "Textf call has arguments but no formatting directives"
	use(tool.Textf(name))                                         // want "non-constant format string"
	use(tool.Textf("Hello, %d", name))                            // want "Textf format %d has arg name of wrong type string"
	use(tool.Textf("ok").WithSummary("%d files", name))           // want "WithSummary format %d has arg name of wrong type string"
	use(tool.Errorf(tool.Validation, "%s: no"))                   // want "Errorf format %s reads arg #1"
	use(tool.Errorf(tool.Validation, "no").WithHint("100% sure")) // want "WithHint format % s"
	use(tool.Textf("Hello, %s: 100%%", name).WithSummary("greeted %s", name))
	use(tool.NewResult(tool.Text(name)))
}

func use(any) {}
