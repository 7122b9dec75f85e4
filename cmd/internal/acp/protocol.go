package acp

import "encoding/json"

// What goes over the wire, as the protocol's schema of version 1 names it. Only what is used has a field: what else
// there is in a message is passed over.

// protocolVersion is the one that is spoken.
const protocolVersion = 1

// The methods of agents, which the client calls.
const (
	methodInitialize   = "initialize"
	methodAuthenticate = "authenticate"
	methodNew          = "session/new"
	methodLoad         = "session/load"
	methodResume       = "session/resume"
	methodList         = "session/list"
	methodClose        = "session/close"
	methodDelete       = "session/delete"
	methodPrompt       = "session/prompt"
	methodMode         = "session/set_mode"
	methodOption       = "session/set_config_option"
)

// Notifications, and the methods of clients, which we call.
const (
	noticeCancel  = "session/cancel"
	noticeRequest = "$/cancel_request"
	noticeUpdate  = "session/update"
	methodAsk     = "session/request_permission"
	methodRead    = "fs/read_text_file"
	methodWrite   = "fs/write_text_file"
)

// Codes that are the protocol's own.
const (
	codeAuth      = -32000
	codeNotFound  = -32002
	codeCancelled = -32800
)

type implementation struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
}

type initializeIn struct {
	ProtocolVersion int `json:"protocolVersion"`
	Client          struct {
		FS struct {
			Read  bool `json:"readTextFile"`
			Write bool `json:"writeTextFile"`
		} `json:"fs"`
		Session struct {
			Compaction *struct{} `json:"compaction"`
			Notices    *struct{} `json:"notices"`
		} `json:"session"`
	} `json:"clientCapabilities"`
	Info implementation `json:"clientInfo"`
}

type initializeOut struct {
	ProtocolVersion int            `json:"protocolVersion"`
	Info            implementation `json:"agentInfo"`
	Capabilities    capabilities   `json:"agentCapabilities"`
	AuthMethods     []authMethod   `json:"authMethods"`
}

type capabilities struct {
	LoadSession bool `json:"loadSession"`
	Prompt      struct {
		Image    bool `json:"image"`
		Embedded bool `json:"embeddedContext"`
	} `json:"promptCapabilities"`
	MCP struct {
		HTTP bool `json:"http"`
		SSE  bool `json:"sse"`
	} `json:"mcpCapabilities"`
	Session struct {
		List        struct{} `json:"list"`
		Resume      struct{} `json:"resume"`
		Close       struct{} `json:"close"`
		Delete      struct{} `json:"delete"`
		Directories struct{} `json:"additionalDirectories"`
	} `json:"sessionCapabilities"`
}

type authMethod struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

type authenticateIn struct {
	Method string `json:"methodId"`
}

// A sessionIn is what begins a session, or goes on with one.
type sessionIn struct {
	ID      string      `json:"sessionId"`
	Dir     string      `json:"cwd"`
	More    []string    `json:"additionalDirectories"`
	Servers []mcpServer `json:"mcpServers"`
}

type mcpServer struct {
	Type    string   `json:"type"` // "": a program
	Name    string   `json:"name"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Env     []pair   `json:"env"`
	URL     string   `json:"url"`
	Headers []pair   `json:"headers"`
}

type pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type sessionOut struct {
	ID      string         `json:"sessionId,omitempty"`
	Modes   modeState      `json:"modes"`
	Options []configOption `json:"configOptions"`
}

type modeState struct {
	Current   string `json:"currentModeId"`
	Available []mode `json:"availableModes"`
}

type mode struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

type configOption struct {
	ID          string        `json:"id"`
	Name        string        `json:"name"`
	Description string        `json:"description,omitempty"`
	Category    string        `json:"category"`
	Type        string        `json:"type"`
	Current     string        `json:"currentValue"`
	Options     []optionValue `json:"options"`
}

type optionValue struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

type modeIn struct {
	ID   string `json:"sessionId"`
	Mode string `json:"modeId"`
}

type optionIn struct {
	ID     string          `json:"sessionId"`
	Option string          `json:"configId"`
	Value  json.RawMessage `json:"value"`
}

type optionOut struct {
	Options []configOption `json:"configOptions"`
}

type idIn struct {
	ID string `json:"sessionId"`
}

type listIn struct {
	Dir    string `json:"cwd"`
	Cursor string `json:"cursor"`
}

type listOut struct {
	Sessions []sessionInfo `json:"sessions"`
	Next     string        `json:"nextCursor,omitempty"`
}

type sessionInfo struct {
	ID      string `json:"sessionId"`
	Dir     string `json:"cwd"`
	Title   string `json:"title,omitempty"`
	Updated string `json:"updatedAt,omitempty"`
}

type promptIn struct {
	ID     string  `json:"sessionId"`
	Prompt []block `json:"prompt"`
}

type promptOut struct {
	Stop string         `json:"stopReason"`
	Meta map[string]any `json:"_meta,omitempty"`
}

// A block is a piece of content: text, image, audio, resource_link or resource.
type block struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	Data     string    `json:"data,omitempty"`
	MIME     string    `json:"mimeType,omitempty"`
	URI      string    `json:"uri,omitempty"`
	Name     string    `json:"name,omitempty"`
	Resource *resource `json:"resource,omitempty"`
}

type resource struct {
	URI  string `json:"uri"`
	MIME string `json:"mimeType,omitempty"`
	Text string `json:"text,omitempty"`
	Blob string `json:"blob,omitempty"`
}

// An update is what a session tells unasked. Kind says which fields it has.
type update struct {
	Kind string `json:"sessionUpdate"`

	Content   any    `json:"content,omitempty"` // a block of a message, or []toolContent
	MessageID string `json:"messageId,omitempty"`

	toolCall

	Entries   any            `json:"entries,omitempty"` // []planEntry: an empty plan is one
	Commands  []slashCommand `json:"availableCommands,omitempty"`
	Mode      string         `json:"currentModeId,omitempty"`
	Options   []configOption `json:"configOptions,omitempty"`
	Updated   string         `json:"updatedAt,omitempty"`
	Used      *int64         `json:"used,omitempty"`
	Size      *int64         `json:"size,omitempty"`
	Severity  string         `json:"severity,omitempty"`
	Compacted string         `json:"compactionId,omitempty"`
}

// A toolCall is a call of a tool, or what is new of it.
type toolCall struct {
	CallID    string          `json:"toolCallId,omitempty"`
	Title     string          `json:"title,omitempty"` // of a notice and of a session, too
	Name      string          `json:"name,omitempty"`
	Class     string          `json:"kind,omitempty"`
	Status    string          `json:"status,omitempty"`
	Locations []location      `json:"locations,omitempty"`
	Input     json.RawMessage `json:"rawInput,omitempty"`
	Output    json.RawMessage `json:"rawOutput,omitempty"`
}

type location struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
}

// A toolContent is what a call brought, or is about to do: content, or a diff.
type toolContent struct {
	Type    string  `json:"type"`
	Content *block  `json:"content,omitempty"`
	Path    string  `json:"path,omitempty"`
	Old     *string `json:"oldText,omitempty"`
	New     *string `json:"newText,omitempty"`

	line int // of a diff: where the new text begins
}

type planEntry struct {
	Content  string `json:"content"`
	Priority string `json:"priority"`
	Status   string `json:"status"`
}

type slashCommand struct {
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Input       *commandInput `json:"input,omitempty"`
}

type commandInput struct {
	Hint string `json:"hint"`
}

type updateOut struct {
	ID     string `json:"sessionId"`
	Update update `json:"update"`
}

type askOut struct {
	ID      string             `json:"sessionId"`
	Call    askedCall          `json:"toolCall"`
	Options []permissionOption `json:"options"`
}

type askedCall struct {
	toolCall
	Content []toolContent `json:"content,omitempty"`
}

type permissionOption struct {
	ID   string `json:"optionId"`
	Name string `json:"name"`
	Kind string `json:"kind"`
}

type askIn struct {
	Outcome struct {
		Outcome string `json:"outcome"`
		Option  string `json:"optionId"`
	} `json:"outcome"`
}

// A fileOut asks for what the editor holds of a file, or with a content has it hold that.
type fileOut struct {
	ID      string  `json:"sessionId"`
	Path    string  `json:"path"`
	Content *string `json:"content,omitempty"`
}
