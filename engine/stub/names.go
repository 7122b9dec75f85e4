package stub

import (
	"fmt"
	"slices"
	"strings"

	"helve/engine/schema"
)

// A Tool is what is known of a tool before it is called.
type Tool struct {
	Public string // its name in lists
	Server string // that brings it; "": it stands alone
	Name   string // as its server calls it
	Input  *schema.Schema
	Output *schema.Schema // nil: it gives a text
}

// A Function is a tool as scripts call it.
type Function struct {
	Group  string // the server's; "": it stands alone
	Name   string
	Params []string // by place: what is required first
	Nulls  []string // those for which None is a value
	Tool   Tool
}

// Call is how the function is written: github.create_issue.
func (f *Function) Call() string {
	if f.Group == "" {
		return f.Name
	}
	return f.Group + "." + f.Name
}

// Bind gives each tool a name in scripts: that of a tool of ours, and the server's with the tool's own for those of
// servers. The list of the result is in the order of the tools. Of two that would have one name, the later one gets a
// number behind it. taken are names that mean something else.
func Bind(tools []Tool, taken ...string) []Function {
	used := map[string]bool{}
	for _, n := range taken {
		used[n] = true
	}
	groups := map[string]string{} // server → group
	out := make([]Function, len(tools))
	for i, t := range tools {
		f := &out[i]
		f.Tool = t
		if t.Server == "" {
			f.Name = free(used, "", identifier(t.Public))
		}
	}
	for i, t := range tools {
		if t.Server == "" {
			continue
		}
		f := &out[i]
		if groups[t.Server] == "" {
			groups[t.Server] = free(used, "", identifier(t.Server))
		}
		f.Group = groups[t.Server]
		f.Name = free(used, f.Group+".", identifier(t.Name))
	}
	for i := range out {
		out[i].parameters()
	}
	return out
}

// free is a name that nothing else has: it, or it with a number.
func free(used map[string]bool, before, name string) string {
	own := name
	for n := 2; used[before+own]; n++ {
		own = fmt.Sprintf("%s_%d", name, n)
	}
	used[before+own] = true
	return own
}

// keywords are words of the language, or words that it keeps: no name can be one.
var keywords = strings.Fields(`and as assert async await break class continue def del elif else except finally for
from global if import in is lambda load nonlocal not or pass raise return try while with yield None True False`)

// identifier is a name as the language takes it.
func identifier(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r == '_' || r < 0x80 && (r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z') {
			return r
		}
		return '_'
	}, name)
	switch {
	case plain == "" || plain[0] >= '0' && plain[0] <= '9':
		return "_" + plain
	case slices.Contains(keywords, plain):
		return plain + "_"
	}
	return plain
}

// parameters are those of the input, the required ones first.
func (f *Function) parameters() {
	properties := f.Tool.Input.Properties()
	for _, required := range []bool{true, false} {
		for _, p := range properties {
			if p.Required != required {
				continue
			}
			f.Params = append(f.Params, p.Name)
			if slices.Contains(p.Types, "null") {
				f.Nulls = append(f.Nulls, p.Name)
			}
		}
	}
}
