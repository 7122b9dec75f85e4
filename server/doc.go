// Package server offers kits to MCP clients: over stdin and stdout, over
// Streamable HTTP, in both protocols at once.
//
//	srv := server.New(open, server.Options{Name: "helve", Version: "1.0"})
//	err := srv.Serve(ctx, os.Stdin, os.Stdout)           // one client
//	err := http.Serve(l, srv.HTTP(server.HTTPOptions{})) // many
//
// The function open makes the kit and the session of one client when the client
// first wants a tool: profile, principal and what the client can be asked for
// choose the kit. What a client sees is deterministic: lists are encoded once
// for each view, and a change is announced only where the bytes changed.
//
// What comes from upstream servers is passed on byte for byte, definitions as
// well as results: this is why the messages are read and written here, and not
// decoded into the structures of an SDK and encoded again. The SDK is the
// oracle of the tests.
//
// The session protocol (2024-11-05 to 2025-11-25) has initialize, sessions
// (Mcp-Session-Id) and requests from server to client. The stateless protocol
// (2026-07-28) has none of these: a call that needs an answer ends with a
// result of type input_required, and the client calls again. A tool does not
// notice which: it, or the kit's Ask, returns a Need, or asks through
// Session.Back.
package server
