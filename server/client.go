package server

import (
	"encoding/json"
	rawjson "helve/internal/json"
	"helve/internal/rpc"
	"strings"
)

// clientInfo is what a client says of itself.
type clientInfo struct {
	name, version, protocol string
	capabilities            json.RawMessage
	conversation            string // its name for this conversation; "": it has none
}

// named reads a client's name and version.
func (c *clientInfo) named(info json.RawMessage) {
	c.name, _ = rawjson.String(rawjson.Get(info, "name"))
	c.version, _ = rawjson.String(rawjson.Get(info, "version"))
}

// can tells whether the client says that it can be asked for something:
// elicitation, sampling, roots.
func (c *clientInfo) can(what string) bool { return capable(c.capabilities, what) }

// capable tells whether capabilities hold one that is not switched off. Asking a
// person means by a form: an address alone is not enough for an approval.
func capable(capabilities json.RawMessage, what string) bool {
	v := rawjson.Get(capabilities, what)
	if v == nil || string(v) == jsonNull || string(v) == "false" {
		return false
	}
	if what != "elicitation" {
		return true
	}
	members, err := rawjson.Object(v) // {} means forms; {"url":{}} alone means addresses only
	if err != nil {
		return false
	}
	return len(members) == 0 || rawjson.Get(v, "form") != nil
}

// family is the capability that a method belongs to.
func family(method string) string {
	what, _, _ := strings.Cut(method, "/")
	return what
}

// extended tells whether a client declares extensions of the protocol.
func extended(capabilities json.RawMessage) bool {
	all, err := rawjson.Object(rawjson.Get(capabilities, "extensions"))
	return err == nil && len(all) > 0
}

// core tells whether a family of requests to a client is the protocol's own, and
// has a capability of its own.
func core(what string) bool {
	return what == "elicitation" || what == "sampling" || what == "roots"
}

func takesTasks(capabilities json.RawMessage) bool {
	return rpc.FirstByte(rawjson.Get(rawjson.Get(capabilities, "extensions"), rpc.ExtensionTasks)) == '{'
}
