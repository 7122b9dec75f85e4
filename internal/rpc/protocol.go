package rpc

import "slices"

// Stateless is the first version of the protocol without initialize, without
// sessions and without requests from server to client: the client repeats with
// every request what it is, and calls again where a call needs an answer.
const Stateless = "2026-07-28"

// Session is the newest version that begins with initialize.
const Session = "2025-11-25"

// Versions are the versions that are spoken, newest first.
func Versions() []string {
	return append([]string{Stateless}, SessionVersions()...)
}

// SessionVersions are those that begin with initialize, newest first.
func SessionVersions() []string {
	return []string{Session, "2025-06-18", "2025-03-26", "2024-11-05"}
}

// Keys of _meta that belong to the protocol itself.
const (
	MetaPrefix       = "io.modelcontextprotocol/"
	MetaVersion      = MetaPrefix + "protocolVersion"
	MetaClient       = MetaPrefix + "clientInfo"
	MetaServer       = MetaPrefix + "serverInfo"
	MetaCapabilities = MetaPrefix + "clientCapabilities"
	MetaLogLevel     = MetaPrefix + "logLevel"
	MetaSubscription = MetaPrefix + "subscriptionId"
	MetaProgress     = "progressToken"

	// ExtensionTasks is the extension by which a call may be answered with a task
	// that is asked about later.
	ExtensionTasks = MetaPrefix + "tasks"

	// ExtensionSkills is the extension by which servers offer folders of
	// instructions.
	ExtensionSkills = MetaPrefix + "skills"
)

// Methods that the two sides treat alike, or that a peer handles itself.
const (
	MethodCall        = "tools/call"
	MethodInitialize  = "initialize"
	MethodDiscover    = "server/discover"
	MethodListen      = "subscriptions/listen"
	MethodSubscribe   = "resources/subscribe"
	MethodUnsubscribe = "resources/unsubscribe"
	MethodSetLevel    = "logging/setLevel"
	MethodTaskGet     = "tasks/get"
	MethodTaskUpdate  = "tasks/update"
	MethodTaskCancel  = "tasks/cancel"
	MethodSkills      = "skills/list"
	MethodSkill       = "skills/get"
	MethodDirectory   = "resources/directory/read"

	NoticePrefix      = "notifications/"
	NoticeInitialized = NoticePrefix + "initialized"
	NoticeCancelled   = NoticePrefix + "cancelled"
	NoticeProgress    = NoticePrefix + "progress"
	NoticeMessage     = NoticePrefix + "message"
	NoticeAcknowledge = NoticePrefix + "subscriptions/acknowledged"
	NoticeTools       = NoticePrefix + "tools/list_changed"
	NoticePrompts     = NoticePrefix + "prompts/list_changed"
	NoticeResources   = NoticePrefix + "resources/list_changed"
	NoticeUpdated     = NoticePrefix + "resources/updated"
	NoticeTask        = NoticePrefix + "tasks"
)

// levels of log messages, the most talkative first.
func levels() []string {
	return []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
}

// IsLevel tells whether the protocol knows a level of log messages.
func IsLevel(level string) bool { return slices.Contains(levels(), level) }

// Quieter tells that a message of this level is not wanted by who asked for
// messages from wanted on. A level that nobody knows is always wanted.
func Quieter(level, wanted string) bool {
	all := levels()
	i, j := slices.Index(all, level), slices.Index(all, wanted)
	return i >= 0 && j >= 0 && i < j
}
