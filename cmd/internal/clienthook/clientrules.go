package clienthook

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	hjson "helve/internal/json"
	"helve/internal/state"
	"helve/tool"
)

// maxSettings bounds a client's file of settings, in bytes.
const maxSettings = 4 << 20

// A said is what the client's own rules say of a line.
type said int

// What they say. A rule that denies or asks is heeded if it may fit, one that allows only if it does.
const (
	nothing said = iota
	allows
	asks
	denies
)

// A commandRule is one of a client's about its shell: a line that begins with these words. * stands for any text in
// one.
type commandRule struct {
	words []string
	whole bool // the line is these words and no more
}

// clientRules are those that a client has about its shell, in all its layers.
type clientRules struct {
	deny, ask, allow []commandRule
	// through is a rule that allows helve exec itself: a person's "don't ask again" about a rewritten line.
	through bool
	// unread says that a layer cannot be read, so that it may say anything.
	unread bool
}

// heedClient has the client's own rules count on the line as the model wrote it, since they fit no rewritten one.
func (r *run) heedClient(j *judged) {
	var rules clientRules
	switch r.Client.Name {
	case "claude-code":
		rules = r.claudeRules()
	case "gemini", "qwen":
		rules = r.geminiRules()
	case "copilot":
		rules = r.copilotRules()
	case "opencode":
		rules = r.opencodeRules()
	case "codex":
		rules = r.codexRules()
	}
	j.client = rules.say(j)
	j.through = rules.through
}

// parts tells that a character of a line parts its words, in whatever a shell makes of it.
func parts(r rune) bool { return strings.ContainsRune(" \t\r\n;&|()<>'\"`$\\", r) }

// say is what the rules say of a call's lines.
func (c *clientRules) say(j *judged) said {
	if c.unread {
		return denies
	}
	for _, line := range j.lines {
		tokens := strings.FieldsFunc(line, parts)
		may := func(r commandRule) bool { return r.mayFit(tokens) }
		switch {
		case slices.ContainsFunc(c.deny, may):
			return denies
		case slices.ContainsFunc(c.ask, may):
			return asks
		}
	}
	commands := j.verdict.Commands
	fits := func(s tool.SimpleCommand) bool {
		return slices.ContainsFunc(c.allow, func(r commandRule) bool { return r.fits(s) })
	}
	writes := slices.ContainsFunc(j.verdict.Effects, func(e tool.Effect) bool { return e.Kind == tool.Write })
	if len(commands) == 0 || !j.verdict.Whole || writes {
		return nothing
	}
	if slices.ContainsFunc(commands, func(s tool.SimpleCommand) bool { return !fits(s) }) {
		return nothing
	}
	return allows
}

// mayFit tells that a rule may be about a line of these words: its own are among them, in their order.
func (r commandRule) mayFit(tokens []string) bool {
	for _, word := range r.words {
		i := slices.IndexFunc(tokens, func(t string) bool { return wordFits(word, t) })
		if i < 0 {
			return false
		}
		tokens = tokens[i+1:]
	}
	return true
}

// fits tells that a rule that allows is about this command.
func (r commandRule) fits(s tool.SimpleCommand) bool {
	if !s.Static || s.Wrapped || len(r.words) == 0 || len(s.Words) < len(r.words) {
		return false
	}
	if r.whole && len(s.Words) > len(r.words) {
		return false
	}
	return slices.Equal(s.Words[:len(r.words)], r.words) && !strings.ContainsAny(strings.Join(r.words, ""), "*?[")
}

func wordFits(pattern, word string) bool {
	if pattern == word || pattern == "*" {
		return true
	}
	ok, err := path.Match(pattern, word)
	return ok || err != nil
}

// newCommandRule reads the pattern of a rule: words, with :* or * at their end for what follows.
func newCommandRule(pattern string) commandRule {
	pattern, open := strings.CutSuffix(strings.TrimSpace(pattern), ":*")
	words := strings.Fields(pattern)
	if n := len(words); n > 0 && words[n-1] == "*" {
		words, open = words[:n-1], true
	}
	return commandRule{words: words, whole: !open}
}

// shellRule is the pattern of a rule like Bash(npm run *); ok is false where it is about another tool.
func shellRule(text string, tools ...string) (commandRule, bool) {
	text = strings.TrimSpace(text)
	if slices.Contains(tools, text) || text == "*" {
		return commandRule{}, true
	}
	name, rest, found := strings.Cut(text, "(")
	if !found || !slices.Contains(tools, strings.TrimSpace(name)) {
		return commandRule{}, false
	}
	return newCommandRule(strings.TrimSuffix(rest, ")")), true
}

// add sorts rules by their list.
func (c *clientRules) add(to *[]commandRule, texts []string, tools ...string) {
	for _, text := range texts {
		r, ok := shellRule(text, tools...)
		if !ok {
			continue
		}
		if to == &c.allow && slices.ContainsFunc(r.words, func(w string) bool { return path.Base(w) == "helve" }) {
			c.through = true
			continue
		}
		*to = append(*to, r)
	}
}

// readSettings reads a client's file, with its comments. A file that is not there says nothing.
func (c *clientRules) readSettings(file string, to any) {
	text, err := state.Read(file, maxSettings)
	if err != nil {
		c.unread = true
		return
	}
	if text = []byte(strings.TrimPrefix(string(text), "\xef\xbb\xbf")); len(strings.TrimSpace(string(text))) == 0 {
		return
	}
	plain, err := hjson.Plain(text)
	if err != nil || json.Unmarshal(plain, to) != nil {
		c.unread = true
	}
}

func (r *run) home(parts ...string) string {
	return filepath.Join(append([]string{r.Getenv("HOME")}, parts...)...)
}

// claudeRules are Claude Code's: of the administrator, the person and the project, and of its flags.
func (r *run) claudeRules() clientRules {
	var c clientRules
	for _, file := range r.claudeSettings() {
		var s struct {
			Permissions struct {
				Allow []string `json:"allow"`
				Ask   []string `json:"ask"`
				Deny  []string `json:"deny"`
			} `json:"permissions"`
		}
		c.readSettings(file, &s)
		c.add(&c.deny, s.Permissions.Deny, "Bash")
		c.add(&c.ask, s.Permissions.Ask, "Bash")
		c.add(&c.allow, s.Permissions.Allow, "Bash")
	}
	pid, _ := strconv.Atoi(r.Getenv("CLAUDE_PID"))
	args := argsOf(pid)
	c.add(&c.deny, flagValues(args, "--disallowedTools", "--disallowed-tools"), "Bash")
	c.add(&c.allow, flagValues(args, "--allowedTools", "--allowed-tools"), "Bash")
	return c
}

// claudeSettings are the files of Claude Code's settings: the administrator's, the person's, the project's.
func (r *run) claudeSettings() []string {
	dir := r.Getenv("CLAUDE_CONFIG_DIR")
	if !filepath.IsAbs(dir) {
		dir = r.home(".claude")
	}
	project := filepath.Join(r.ws.Dir(), ".claude")
	return []string{
		"/etc/claude-code/managed-settings.json",
		filepath.Join(dir, "settings.json"),
		filepath.Join(project, "settings.json"),
		filepath.Join(project, "settings.local.json"),
	}
}

// claudeSandbox tells that a file of Claude Code's settings switches its own sandbox on.
func (r *run) claudeSandbox() bool {
	for _, file := range r.claudeSettings() {
		var c clientRules
		var s struct {
			Sandbox struct {
				Enabled bool `json:"enabled"`
			} `json:"sandbox"`
		}
		c.readSettings(file, &s)
		if s.Sandbox.Enabled {
			return true
		}
	}
	return false
}

// geminiRules are those of Gemini CLI and Qwen Code, whose settings are alike. The language of
// Gemini's policies is not read.
func (r *run) geminiRules() clientRules {
	var c clientRules
	own := "." + r.Client.Name
	for _, dir := range []string{r.home(own), filepath.Join(r.ws.Dir(), own)} {
		var s struct {
			Exclude []string `json:"excludeTools"`
			Tools   struct {
				Exclude []string `json:"exclude"`
				Allowed []string `json:"allowed"`
			} `json:"tools"`
			Permissions struct {
				Allow, Ask, Deny []string
			} `json:"permissions"`
		}
		c.readSettings(filepath.Join(dir, "settings.json"), &s)
		names := []string{"run_shell_command", "ShellTool", "Bash", "Shell"}
		c.add(&c.deny, slices.Concat(s.Exclude, s.Tools.Exclude, s.Permissions.Deny), names...)
		c.add(&c.ask, s.Permissions.Ask, names...)
		c.heedFiles(filepath.Join(dir, "policies", "*.toml"), "deny", "ask_user")
	}
	return c
}

// copilotRules are those of Copilot CLI's flags.
func (r *run) copilotRules() clientRules {
	var c clientRules
	for pid, n := os.Getppid(), 0; pid > 1 && n < maxAncestors; pid, n = parentOf(pid), n+1 {
		args := argsOf(pid)
		c.add(&c.deny, flagValues(args, "--deny-tool"), "shell")
	}
	return c
}

// opencodeRules are opencode's permissions of its tool bash.
func (r *run) opencodeRules() clientRules {
	var c clientRules
	for _, dir := range []string{r.home(".config", "opencode"), r.ws.Dir(), filepath.Join(r.ws.Dir(), ".opencode")} {
		for _, name := range []string{"opencode.json", "opencode.jsonc"} {
			var s struct {
				Permission map[string]json.RawMessage `json:"permission"`
			}
			c.readSettings(filepath.Join(dir, name), &s)
			for _, tool := range []string{"bash", "*"} {
				c.addPermission(s.Permission[tool])
			}
		}
	}
	return c
}

// addPermission adds a word, or words by pattern.
func (c *clientRules) addPermission(raw json.RawMessage) {
	by := map[string]string{}
	if word := one(raw); word != "" {
		by["*"] = word
	} else if len(raw) > 0 && json.Unmarshal(raw, &by) != nil {
		c.unread = true
	}
	for pattern, word := range by {
		rule := newCommandRule(pattern)
		switch word {
		case "deny":
			c.deny = append(c.deny, rule)
		case "ask":
			c.ask = append(c.ask, rule)
		}
	}
}

// codexRules are Codex' rules on commands. Their language is not read: a file that does more than allow may say
// anything.
func (r *run) codexRules() clientRules {
	var c clientRules
	dir := r.Getenv("CODEX_HOME")
	if !filepath.IsAbs(dir) {
		dir = r.home(".codex")
	}
	for _, in := range []string{dir, filepath.Join(r.ws.Dir(), ".codex")} {
		c.heedFiles(filepath.Join(in, "rules", "*.rules"), "forbidden", "prompt")
	}
	return c
}

// heedFiles takes files whose language is not read for such that may say anything, unless they only allow: none of the
// strict words is in them.
func (c *clientRules) heedFiles(glob string, strict ...string) {
	files, _ := filepath.Glob(glob) // the pattern is right
	for _, file := range files {
		text, err := state.Read(file, maxSettings)
		says := func(word string) bool { return strings.Contains(string(text), word) }
		c.unread = c.unread || err != nil || slices.ContainsFunc(strict, says)
	}
}

// flagValues are what stands behind flags: until the next one, and separated by commas or spaces outside of brackets.
func flagValues(args []string, flags ...string) []string {
	var out []string
	on := false
	for _, arg := range args {
		name, value, joined := strings.Cut(arg, "=")
		switch {
		case slices.Contains(flags, name) && joined:
			out = append(out, splitRules(value)...)
		case strings.HasPrefix(arg, "-"):
			on = slices.Contains(flags, arg)
		case on:
			out = append(out, splitRules(arg)...)
		}
	}
	return out
}

// splitRules splits at commas and spaces that stand in no brackets.
func splitRules(text string) []string {
	depth := 0
	return strings.FieldsFunc(text, func(r rune) bool {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		return depth == 0 && (r == ',' || r == ' ')
	})
}
