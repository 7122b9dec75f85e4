package upstream

import "helve/internal/rpc"

// An RPCError is what a server answered in place of a result: Code, Message,
// and Data as it came.
type RPCError = rpc.Error

// A pipe carries messages. Sending may be concurrent, receive is for one at a
// time; close ends both and returns when nothing is left of it.
type pipe interface {
	rpc.Out
	receive() (*rpc.Message, error)
	close()
}
