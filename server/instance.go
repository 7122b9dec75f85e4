package server

import (
	"encoding/json"
	"net"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
)

// MetaConversation is the key in _meta by which a client without a protocol
// session names its conversation: a text of its own choice, the same in all its
// requests, and another than that of every other client of the same principal.
// It goes no further than this server.
const MetaConversation = "helve/conversation"

// maxConversationName bounds that text, in bytes: an UUID or a digest fits.
const maxConversationName = 128

// readConversation reads a conversation's name. One that is no name is refused:
// a client that believes to be alone must not be put together with others.
func readConversation(value json.RawMessage) (string, *rpc.Error) {
	name, ok := rawjson.String(value)
	if !ok || name == "" || len(name) > maxConversationName {
		return "", rpc.Errorf(rpc.CodeInvalidParams,
			"invalid params: _meta[%q]: want a text of 1 to %d bytes", MetaConversation, maxConversationName)
	}
	return name, nil
}

// An instance tells the clients of one principal apart. One that names its
// conversation is known by that; of any other there is only what it says of
// itself and where it comes from, which may be the same for two of them.
type instance struct{ conversation, name, version, host string }

func (c *clientInfo) instance(host string) instance {
	if c.conversation != "" {
		return instance{conversation: c.conversation}
	}
	return instance{name: c.name, version: c.version, host: host}
}

// alone tells whether no other client can be in the conversation.
func (i instance) alone() bool { return i.conversation != "" }

// remoteHost is where a client comes from. All of this machine is one: a client
// may come by either of its addresses.
func remoteHost(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		host = addr
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		return "localhost"
	}
	return host
}
