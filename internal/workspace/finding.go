package workspace

// A Finding is something in the configuration that does not do what somebody may have meant.
type Finding struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"` // from 1
	Key     string `json:"key"`            // rules[0], mcp_servers.github
	Message string `json:"message"`

	// Certain says that nothing that may still come makes it right, such as another server, tool or layer.
	Certain bool `json:"certain,omitempty"`
}
