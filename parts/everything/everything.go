// Package everything has all parts of a workspace that come with helve but models and the bus: what the program helve has.
package everything

import (
	"helve/internal/workspace"
	"helve/parts/code"
	"helve/parts/discovery"
	"helve/parts/mcp"
	"helve/parts/script"
	"helve/parts/web"
)

// Parts are for helve.Options.Parts. A part of one's own options takes the place of the one here:
// append(everything.Parts(), mcp.Part(mcp.Options{…})).
func Parts() []workspace.Part {
	return []workspace.Part{
		code.Part(),
		web.Part(web.Options{}),
		discovery.Part(),
		mcp.Part(mcp.Options{}),
		script.Part(script.Options{}),
	}
}
