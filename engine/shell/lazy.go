package shell

import (
	"regexp"
	"sync"
)

// lazily compiles an expression when it is first needed: every process that links this package would pay for it at
// its start, the launcher of each sandbox among them.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
