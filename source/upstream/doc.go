// Package upstream brings the tools of MCP servers: programs that speak the
// Model Context Protocol on their stdin and stdout, and servers behind a URL
// (Streamable HTTP, and the SSE transport before it).
//
//	c := upstream.Config{Name: "github", Command: "github-mcp"}
//	src, err := upstream.New(c, upstream.Options{StateDir: dir})
//	err = registry.Attach(ctx, src)
//
// One [Source] is one server. It starts the server when it is needed, ends it
// when nobody used it for a while, and starts it again, with growing pauses,
// when it broke; a call that may have run is never sent twice. What a server
// says is passed on byte for byte: definitions in Spec.Wire, blocks as
// tool.Foreign. What it says about itself is not believed: definitions are
// pinned, hidden characters removed, schemas guarded, annotations may tighten
// and never loosen.
//
// Connections belong to sessions: one is shared only by sessions of one
// principal whose clients can be asked nothing.
package upstream
