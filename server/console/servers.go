package console

import (
	"context"
	"net/http"
	"time"
)

// Servers show the MCP servers behind the tools, and what a person may do about them.
type Servers interface {
	// Servers are those that are configured, by name.
	Servers(ctx context.Context) ([]Server, error)
	// ServerLog is the end of what a server said on stderr.
	ServerLog(ctx context.Context, server string) (string, error)
	// Restart ends the connections to a server and starts it anew.
	Restart(ctx context.Context, server string) error
	// Approve takes a changed definition as it was shown: digest is the one of its Definition.
	Approve(ctx context.Context, server, tool, digest string) error
	// SwitchServer says what switching all tools of a server off or on would change, and with do makes it so.
	SwitchServer(ctx context.Context, server string, on, do bool) (Change, error)
}

// A Server is one MCP server.
type Server struct {
	Name        string       `json:"name"`
	At          string       `json:"at,omitempty"` // the place in the configuration where it stands
	Transport   string       `json:"transport"`
	Protocol    string       `json:"protocol,omitempty"`
	About       string       `json:"about,omitempty"` // as it calls itself, with its version
	Disabled    bool         `json:"disabled,omitempty"`
	Up          bool         `json:"up"`              // there is a connection
	Missing     bool         `json:"missing"`         // it could not be listed
	Error       string       `json:"error,omitempty"` // why, or why its last connection ended
	Connections int          `json:"connections"`
	PIDs        []int        `json:"pids"`
	Since       time.Time    `json:"since,omitzero"` // that the newest connection was made
	Starts      int          `json:"starts"`
	Listed      time.Time    `json:"listed,omitzero"`
	ListTook    float64      `json:"list_ms,omitempty"`
	Tools       int          `json:"tools"`   // that it brings
	Offered     int          `json:"offered"` // of these
	Calls       int          `json:"calls"`
	Failed      int          `json:"failed"`
	Refused     int          `json:"refused"`
	Changed     []Definition `json:"changed"` // what is not as it was approved
}

// A Definition is one of a tool that is not the one that was approved. Calls of the tool are refused until it is.
type Definition struct {
	Tool    string `json:"tool"`
	Digest  string `json:"digest"` // names what changed into what
	Diff    string `json:"diff"`
	TooLong bool   `json:"too_long,omitempty"` // Diff is only its beginning: it cannot be approved here
}

// servers are the requests about them.
func (p *Handler) servers(all map[string]http.HandlerFunc) {
	servers, ok := p.o.Data.(Servers)
	if !ok {
		return
	}
	all["GET servers"] = func(w http.ResponseWriter, q *http.Request) {
		v, err := servers.Servers(q.Context())
		respond(w, v, err)
	}
	all["GET server-log"] = func(w http.ResponseWriter, q *http.Request) {
		text, err := servers.ServerLog(q.Context(), q.FormValue("name"))
		respond(w, map[string]string{"text": text}, err)
	}
	all["POST server-restart"] = func(w http.ResponseWriter, q *http.Request) {
		var in struct {
			Name string `json:"name"`
		}
		if read(w, q, maxBody, &in) {
			respond(w, struct{}{}, servers.Restart(q.Context(), in.Name))
		}
	}
	all["POST server-approve"] = func(w http.ResponseWriter, q *http.Request) {
		var in struct {
			Name   string `json:"name"`
			Tool   string `json:"tool"`
			Digest string `json:"digest"`
		}
		if read(w, q, maxBody, &in) {
			respond(w, struct{}{}, servers.Approve(q.Context(), in.Name, in.Tool, in.Digest))
		}
	}
	all["POST server-switch"] = func(w http.ResponseWriter, q *http.Request) {
		var in struct {
			Name string `json:"name"`
			On   bool   `json:"on"`
			Do   bool   `json:"do"`
		}
		if !read(w, q, maxBody, &in) {
			return
		}
		v, err := servers.SwitchServer(q.Context(), in.Name, in.On, in.Do)
		respond(w, v, err)
	}
}
