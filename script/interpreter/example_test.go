package interpreter_test

import (
	"context"
	"errors"
	"fmt"

	"helve/script"
	"helve/script/interpreter"
)

// The first lines of a program that runs scripts. Where the system bounds what they may use, there is run_script.
func Example() {
	interpreter.Init()
	err := script.Confined(context.Background())
	fmt.Println(err == nil || errors.Is(err, script.ErrUnbounded))
	// Output: true
}
