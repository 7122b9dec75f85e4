package clienthook

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"helve/internal/resolved"
	"helve/internal/state"
)

const (
	// maxConversation bounds the file of one, in bytes: a few paths.
	maxConversation = 64 << 10
	// mostConversations bounds the files of a client; the oldest go. They are small, and all of them are listed when
	// one begins.
	mostConversations = 200
)

// A Conversation is what is remembered of one of a client's: its workspace is that of the first event, and does not
// move with the client's cd.
type Conversation struct {
	Workspace string    `json:"workspace"`
	Dirs      []string  `json:"dirs,omitempty"`
	Version   string    `json:"version,omitempty"` // of the client
	Began     time.Time `json:"began"`
	Looks     string    `json:"looks,omitempty"` // the folder of what is known of commands that are looked after
}

// folder is where the conversations of a client are kept; the time of a file is that of its last event.
func folder(stateDir, client string) string { return filepath.Join(stateDir, "clients", client) }

func (r *run) conversationFile() string {
	if r.event.Conversation == "" || r.State == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(r.event.Conversation))
	return filepath.Join(folder(r.State, r.Client.Name), hex.EncodeToString(sum[:12])+".json")
}

// conversation is the event's, as it began.
func (r *run) conversation() (Conversation, error) {
	var c Conversation
	file := r.conversationFile()
	if b, err := state.Read(file, maxConversation); file != "" && err == nil && json.Unmarshal(b, &c) == nil {
		if folderOf(c.Workspace) != "" && r.Dir == "" {
			now := time.Now()
			os.Chtimes(file, now, now) // only doctor looks at it
			return c, nil
		}
	}
	c = Conversation{Workspace: r.workspace(), Version: r.version(), Began: time.Now().UTC()}
	if c.Workspace == "" {
		return c, errNoFolder
	}
	for _, dir := range r.event.Roots {
		if dir = folderOf(dir); dir != "" && !resolved.Within(c.Workspace, dir) {
			c.Dirs = append(c.Dirs, dir)
		}
	}
	r.keep(file, c)
	return c, nil
}

// looksIn remembers where it is known of the conversation's commands that are looked after.
func (r lookout) looksIn(dir string) {
	if r.began.Looks != dir {
		r.began.Looks = dir
		r.keep(r.conversationFile(), r.began)
	}
}

// keep remembers a conversation. Where that fails each event is looked at alone.
func (r *run) keep(file string, c Conversation) {
	if file == "" || state.MakeDir(filepath.Dir(file)) != nil {
		return
	}
	forgetOld(filepath.Dir(file))
	if b, err := json.Marshal(c); err == nil {
		_ = state.Replace(file, b, 0o600)
	}
}

// forgetOld makes room for one more.
func forgetOld(dir string) {
	list, err := os.ReadDir(dir)
	if err != nil || len(list) < mostConversations {
		return
	}
	type old struct {
		name string
		at   time.Time
	}
	var all []old
	for _, e := range list {
		if info, err := e.Info(); err == nil {
			all = append(all, old{e.Name(), info.ModTime()})
		}
	}
	slices.SortStableFunc(all, func(a, b old) int { return a.at.Compare(b.at) })
	for _, o := range all[:max(0, len(all)-mostConversations+1)] {
		os.Remove(filepath.Join(dir, o.name)) // another process may have been faster
	}
}

// workspace is the folder that a conversation is about: what the client says, else the repository around the folder
// that it stands in. "": none is there.
func (r *run) workspace() string {
	dir := folderOf(r.Dir)
	if dir != "" {
		return dir
	}
	for _, said := range append([]string{r.projectDir()}, append(r.event.Roots, r.event.Dir)...) {
		if dir = folderOf(said); dir != "" {
			break
		}
	}
	return r.repository(dir)
}

// projectDir is the project that the client names in its environment. Several clients set Claude Code's variable.
func (r *run) projectDir() string {
	switch name := r.Client.Name; name {
	case "gemini", "qwen", "copilot":
		own := strings.ToUpper(name) + "_PROJECT_DIR"
		return cmp.Or(r.Getenv(own), r.Getenv("CLAUDE_PROJECT_DIR"))
	}
	if r.Client.Name == "claude-code" {
		return r.Getenv("CLAUDE_PROJECT_DIR")
	}
	return ""
}

// repository is the root of the repository around a folder, or the folder. A home is no project.
func (r *run) repository(dir string) string {
	home := folderOf(r.Getenv("HOME"))
	for at := dir; at != "" && at != home; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if filepath.Dir(at) == at {
			break
		}
	}
	return dir
}

// version is the client's, as it or its environment says it.
func (r *run) version() string {
	if r.event.Version != "" {
		return r.event.Version
	}
	if v := r.Getenv("COPILOT_CLI_BINARY_VERSION"); r.Client.Name == "copilot" {
		return v
	}
	agent, ok := strings.CutPrefix(r.Getenv("AI_AGENT"), "claude-code_")
	if !ok || r.Client.Name != "claude-code" {
		return ""
	}
	agent, _, _ = strings.Cut(agent, "_")
	return strings.ReplaceAll(agent, "-", ".")
}
