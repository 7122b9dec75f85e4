// Package rpc is one end of a JSON-RPC 2.0 connection, as the Model Context
// Protocol uses it, and that of editors. Package server, package source/upstream
// and the command helve acp are the users: each brings a [Handler] for what the
// other side sends, and an [Out] for each way on which messages go out.
//
// A [Peer] knows the life of every request, from its arrival to its answer:
// request.go tells that of theirs, call.go that of ours. Messages are read and written by
// [Message]; what is inside them stays as it came, byte for byte. The framings
// that several users need are here, too: lines for stdio, events for HTTP, and
// what headers repeat of a message.
package rpc
