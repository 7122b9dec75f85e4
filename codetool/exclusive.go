package codetool

import (
	"fmt"
	"strings"

	"helve/engine/code"
)

// aloneData says more of what nothing else uses.
type aloneData struct {
	Itself        int      `json:"itself,omitempty" jsonschema:"description=The first line on which it uses itself"`
	Importers     []string `json:"importers,omitempty" jsonschema:"description=Files that only import it"`
	MoreImporters int      `json:"more_importers,omitempty" jsonschema:"description=That are not here"`
}

// shownImporters bounds the files that are named: one is enough to know that it is passed on.
const shownImporters = 3

func aloneOf(a code.Alone) aloneData {
	shown := a.Importers[:min(len(a.Importers), shownImporters)]
	return aloneData{a.Itself, shown, len(a.Importers) - len(shown)}
}

func (d *aloneData) write(b *strings.Builder) {
	if d.Itself > 0 {
		fmt.Fprintf(b, "[it uses itself at line %d]\n", d.Itself)
	}
	if len(d.Importers) == 0 {
		return
	}
	more := ""
	if d.MoreImporters > 0 {
		more = fmt.Sprintf(" and %d more", d.MoreImporters)
	}
	files := strings.Join(d.Importers, ", ")
	fmt.Fprintf(b, "[imported and not used by %s%s: others may take it from there]\n", files, more)
}
