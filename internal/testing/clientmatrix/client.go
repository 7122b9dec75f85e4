package main

import "path/filepath"

// A client is one of the programs that the matrix tries.
type client struct {
	name    string // as `helve setup` calls it
	program string // in node_modules/.bin
	prefix  string // what it puts before the names of helve's tools; GROUP/ where it shows them to the model as a group

	// args run it without a person, so that it approves of the tools of its servers by its own
	// means.
	args func(prompt string) []string

	// freely is args where it is to ask nobody about its own tools, so that its hooks alone decide; nil: args does.
	freely func(prompt string) []string
	// probe is where it knows its MCP servers, in its home, and what stands there for one in JSON, $1 being its script;
	// "": it has none.
	probe [2]string
	// sits is how a person uses it at a terminal; nil: nobody has tried.
	sits *sitting
	// boxes are its own sandboxes; nil: it has none, or nobody has tried.
	boxes []box
	// unconfined says that its commands are judged by their words alone.
	unconfined bool

	// model tells it where the model is: files in its home, by path, and variables of its
	// environment. It is written before helve stands in them.
	model func(url string) (files map[string]string, env []string)

	byHand bool // its file is one that helve does not write

	// loads are the tools that the client shows its model whole from the first request on, because
	// helve asks it to: one that the model has to search for has failed.
	loads []string

	before func(url string) []string // the words of a command of its own that has to run before; nil: none
}

// key stands where clients want one; nobody looks at it.
const key = "sk-scripted"

func clients() []client {
	return []client{claudeCode(), codex(), copilot(), gemini(), opencode(), qwen(), cline(), continueDev()}
}

// claudeCode speaks to Anthropic. Without a person it refuses what nobody allowed before.
func claudeCode() client {
	return client{
		name:   "claude-code",
		freely: func(p string) []string { return []string{"-p", p, "--dangerously-skip-permissions"} },
		boxes: []box{{
			name: "its own",
			args: func(p string) []string { return []string{"-p", p, "--dangerously-skip-permissions"} },
			home: map[string]string{".claude/settings.json": `{"sandbox": {"enabled": true}}`},
		}},
		probe:   [2]string{".claude.json", `"mcpServers":{"probe":{"command":"node","args":["$1"]}}`},
		program: "claude",
		prefix:  "mcp__helve__",
		loads:   []string{"bash", "edit", "glob", "grep", "read", "write"},
		sits: &sitting{
			args: []string{"--permission-mode", "default"},
			home: map[string]string{".claude.json": `{"hasCompletedOnboarding":true,"theme":"dark"}`},
			greets: []greeting{
				{"Yes, I trust this folder", []string{"Down", "Enter"}},
				{"Do you want to use this API key?", []string{"Up", "Enter"}},
			},
			ready: "manual mode on",
			asks:  "Do you want to proceed?",
			edits: "Do you want to make this edit",
			yes:   []string{"1"},
			no:    []string{"Escape"},
			over:  "What should Claude do instead?",
		},
		args: func(p string) []string { return []string{"-p", p, "--allowedTools", "mcp__helve"} },
		model: func(url string) (map[string]string, []string) {
			return nil, []string{
				"ANTHROPIC_BASE_URL=" + url + "/anthropic",
				"ANTHROPIC_API_KEY=" + key,
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
			}
		},
	}
}

// codex speaks Responses. Its bypass is of its own approvals and sandbox; helve's stay.
func codex() client {
	return client{
		name: "codex",
		freely: func(p string) []string { // a model that it knows: others are offered no apply_patch
			free := []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"}
			return append(free, "--model", "gpt-5.5", p)
		},
		boxes: []box{{name: "workspace-write", args: func(p string) []string {
			return []string{"exec", "--skip-git-repo-check", "--sandbox", "workspace-write", "--model", "gpt-5.5", p}
		}}, {name: "on-request", args: func(p string) []string {
			out := []string{"exec", "--skip-git-repo-check", "--sandbox", "workspace-write", "--model", "gpt-5.5"}
			return append(out, "-c", `approval_policy="on-request"`, p)
		}}},
		probe:   [2]string{".codex/config.toml", "[mcp_servers.probe]\ncommand = \"node\"\nargs = [\"$1\"]\n"},
		program: "codex",
		prefix:  "mcp__helve/",
		args: func(p string) []string {
			return []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", p}
		},
		model: func(url string) (map[string]string, []string) {
			config := `model = "scripted"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "` + url + `/openai/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
`
			return map[string]string{".codex/config.toml": config}, []string{"OPENAI_API_KEY=" + key}
		},
	}
}

// copilot speaks Chat Completions here, as to any model of a user's own.
func copilot() client {
	return client{
		name: "copilot",
		probe: [2]string{
			".copilot/mcp-config.json",
			`"mcpServers":{"probe":{"type":"local","command":"node","args":["$1"],"tools":["*"]}}`,
		},
		program: "copilot",
		prefix:  "helve-",
		args:    func(p string) []string { return []string{"-p", p, "--allow-all-tools"} },
		model: func(url string) (map[string]string, []string) {
			return nil, []string{
				"COPILOT_PROVIDER_BASE_URL=" + url + "/openai/v1",
				"COPILOT_PROVIDER_API_KEY=" + key,
				"COPILOT_MODEL=scripted",
				"COPILOT_OFFLINE=true",
			}
		},
	}
}

// gemini is told its model: else it asks another one first which to take.
func gemini() client {
	return client{
		name: "gemini",
		probe: [2]string{
			".gemini/settings.json",
			`"model":{"disableLoopDetection":true},"mcpServers":{"probe":{"command":"node","args":["$1"]}}`,
		},
		program: "gemini",
		prefix:  "mcp_helve_",
		sits: &sitting{
			args:  []string{"--model", "gemini-2.5-pro"},
			home:  map[string]string{".gemini/trustedFolders.json": `{"$W":"TRUST_FOLDER"}`},
			ready: "Type your message",
			asks:  "Allow execution of",
			edits: "Apply this change?",
			yes:   []string{"1"},
			no:    []string{"Escape"},
			over:  "Request cancelled.",
			mute:  true,
		},
		args: func(p string) []string {
			return []string{"-p", p, "--model", "gemini-2.5-pro", "--yolo", "--skip-trust"}
		},
		model: func(url string) (map[string]string, []string) {
			settings := `{
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "privacy": {"usageStatisticsEnabled": false}
}
`
			return map[string]string{".gemini/settings.json": settings}, []string{
				"GOOGLE_GEMINI_BASE_URL=" + url + "/gemini",
				"GEMINI_API_KEY=" + key,
			}
		},
	}
}

// opencode asks nobody by itself.
func opencode() client {
	return client{
		name:    "opencode",
		probe:   [2]string{".config/opencode/opencode.json", `"mcp":{"probe":{"type":"local","command":["node","$1"]}}`},
		program: "opencode",
		prefix:  "helve_",
		args:    func(p string) []string { return []string{"run", "--model", "scripted/scripted", p} },
		model: func(url string) (map[string]string, []string) {
			config := `{
  "autoupdate": false,
  "provider": {
    "scripted": {
      "npm": "@ai-sdk/openai-compatible",
      "options": {"baseURL": "` + url + `/openai/v1", "apiKey": "` + key + `"},
      "models": {"scripted": {"tool_call": true, "limit": {"context": 200000, "output": 8000}}}
    }
  }
}
`
			files := map[string]string{".config/opencode/opencode.json": config}
			return files, []string{"OPENCODE_DISABLE_MODELS_FETCH=1"}
		},
	}
}

// qwen asks before every call, unless it is told not to.
func qwen() client {
	return client{
		name:  "qwen",
		probe: [2]string{".qwen/settings.json", `"$version":4,"mcpServers":{"probe":{"command":"node","args":["$1"]}}`},

		unconfined: true,
		program:    "qwen",
		prefix:     "mcp__helve__",
		args:       func(p string) []string { return []string{"--yolo", "--auth-type", "openai", p} },
		model: func(url string) (map[string]string, []string) {
			return nil, []string{
				"OPENAI_BASE_URL=" + url + "/openai/v1",
				"OPENAI_API_KEY=" + key,
				"OPENAI_MODEL=scripted",
			}
		},
	}
}

// cline keeps its model's address by a command of its own.
func cline() client {
	return client{
		name:    "cline",
		program: "cline",
		prefix:  "helve__",
		args: func(p string) []string {
			return []string{"--provider", "openai-compatible", "--model", "scripted", p}
		},
		model: func(string) (map[string]string, []string) { return nil, nil },
		before: func(url string) []string {
			model := []string{"--modelid", "scripted", "--baseurl", url + "/openai/v1"}
			return append([]string{"auth", "openai-compatible", "--apikey", key}, model...)
		},
	}
}

// continueDev is Continue. It puts nothing before the names of tools.
func continueDev() client {
	return client{
		name:    "continue",
		program: "cn",
		byHand:  true,
		args:    func(p string) []string { return []string{"-p", "--auto", p} },
		model: func(url string) (map[string]string, []string) {
			config := `name: scripted
version: 1.0.0
schema: v1
models:
  - name: scripted
    provider: openai
    model: scripted
    apiBase: ` + url + `/openai/v1
    apiKey: ` + key + `
`
			return map[string]string{filepath.Join(".continue", "config.yaml"): config}, nil
		},
	}
}
