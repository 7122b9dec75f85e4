package script

import (
	"encoding/json"
	"fmt"
	"strings"
)

// An Outcome is what a script came to.
type Outcome struct {
	Result  json.RawMessage `json:"result,omitempty" jsonschema:"The value of result, or of the last expression"`
	Printed string          `json:"printed,omitempty"`
	Dropped int64           `json:"dropped,omitempty" jsonschema:"Bytes printed beyond what is kept"`
	Note    string          `json:"note,omitempty" jsonschema:"What a person said, and what became of the changes"`
	Calls   int             `json:"calls" jsonschema:"Calls that the script made"`
}

// Text is what a model reads: what was printed, and the result; a text as it is, anything else as JSON.
func (o Outcome) Text() string {
	var parts []string
	if printed := strings.TrimSuffix(o.Printed, "\n"); printed != "" {
		parts = append(parts, printed)
	}
	if o.Dropped > 0 {
		parts = append(parts, fmt.Sprintf("[%d more bytes were printed: print less, or return a result]", o.Dropped))
	}
	if len(o.Result) > 0 {
		text := string(o.Result)
		var plain string
		if json.Unmarshal(o.Result, &plain) == nil {
			text = plain
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		const none = "The script ended after %d calls, without a result: set result, or end with an expression."
		parts = append(parts, fmt.Sprintf(none, o.Calls))
	}
	if o.Note != "" {
		parts = append(parts, o.Note)
	}
	return strings.Join(parts, "\n")
}
