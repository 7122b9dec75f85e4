package bash

import (
	"cmp"
	"time"

	"helve/tool"
)

type bashIn struct {
	Command     string `json:"command" jsonschema:"description=The command line,minLength=1"`
	Description string `json:"description,omitempty" jsonschema:"What it does, in a few words"`
	Timeout     int    `json:"timeout,omitempty" jsonschema:"description=Milliseconds; default: 120000,minimum=1,maximum=600000"`
	Dir         string `json:"working_directory,omitempty" jsonschema:"Directory to run in"`
	Background  bool   `json:"run_in_background,omitempty" jsonschema:"Return a task_id at once"`
	Network     bool   `json:"network,omitempty" jsonschema:"Needs the network"`
	Ask         bool   `json:"ask,omitempty" jsonschema:"Ask first"`
}

// bashTime is how long a command may take whose caller does not say it: longer than most builds and tests.
const bashTime = 120_000

// limit is how long the command may take in the foreground.
func (in bashIn) limit() time.Duration {
	return time.Duration(cmp.Or(in.Timeout, bashTime)) * time.Millisecond
}

func (in bashIn) String() string { return "bash " + in.Command }

// powershellIn is bashIn with words for PowerShell.
type powershellIn struct {
	Command     string `json:"command" jsonschema:"description=The PowerShell command line,minLength=1"`
	Description string `json:"description,omitempty" jsonschema:"What it does, in a few words"`
	Timeout     int    `json:"timeout,omitempty" jsonschema:"description=Milliseconds; default: 120000,minimum=1,maximum=600000"`
	Dir         string `json:"working_directory,omitempty" jsonschema:"Directory to run in"`
	Background  bool   `json:"run_in_background,omitempty" jsonschema:"Return a task_id at once"`
	Network     bool   `json:"network,omitempty" jsonschema:"Needs the network"`
	Ask         bool   `json:"ask,omitempty" jsonschema:"Ask first"`
}

func (in powershellIn) String() string { return "powershell " + in.Command }

var (
	_ tool.Stringer = bashIn{}
	_ tool.Stringer = powershellIn{}
)
