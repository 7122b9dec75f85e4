package clientproof

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	helvejson "helve/internal/json"
)

// key stands where clients want one; nobody looks at it.
const key = "sk-scripted"

// A client is how a client is run without a person, against a model on this machine.
type client struct {
	args []string // before the prompt; it asks nobody about its own tools, so that its hooks alone decide
	tail []string // behind the prompt
	env  []string // $URL and $KEY are put in

	// files are its own in the throw-away home, by path.
	files map[string]string
	// adds are members of the settings in which its hooks stand, as JSON; "": it has no such file.
	adds string
	// before is a command of its own that has to run first; nil: none.
	before []string

	// shell and write are the tools of its model: a name, and its arguments, in which $1 is a line or a path and $2 a
	// content.
	shell, write string
	// judged says why its commands are judged only; "": they are rewritten.
	judged string
}

// clients are those that can be proven, by their names in helve init. As they were seen to work in November 2026.
func clients() map[string]client {
	return map[string]client{
		"claude-code": {
			args: []string{"--dangerously-skip-permissions", "-p"},
			env: []string{
				"ANTHROPIC_BASE_URL=$URL/anthropic", "ANTHROPIC_API_KEY=$KEY",
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
				"IS_SANDBOX=1", // it lets root ask nobody only then
			},
			shell: `Bash {"command":$1,"description":"d"}`,
			write: `Write {"file_path":$1,"content":$2}`,
		},
		"codex": {
			// a model that it knows: others are offered no apply_patch
			args: []string{
				"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox",
				"--model", "gpt-5.5",
			},
			env: []string{"OPENAI_API_KEY=$KEY"},
			files: map[string]string{".codex/config.toml": `model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "$URL/openai/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
`},
			shell: `exec_command {"cmd":$1}`,
			write: `apply_patch $patch`,
		},
		"gemini": {
			args: []string{"--model", "gemini-2.5-pro", "--yolo", "--skip-trust", "-p"},
			env:  []string{"GOOGLE_GEMINI_BASE_URL=$URL/gemini", "GEMINI_API_KEY=$KEY"},
			adds: `{"security":{"auth":{"selectedType":"gemini-api-key"}},
"privacy":{"usageStatisticsEnabled":false}}`,
			shell: `run_shell_command {"command":$1,"description":"d"}`,
			write: `write_file {"file_path":$1,"content":$2}`,
		},
		"qwen": {
			args:   []string{"--yolo", "--auth-type", "openai"},
			env:    []string{"OPENAI_BASE_URL=$URL/openai/v1", "OPENAI_API_KEY=$KEY", "OPENAI_MODEL=scripted"},
			adds:   `{"$version":4}`,
			shell:  `run_shell_command {"command":$1,"description":"d","is_background":false}`,
			write:  `write_file {"file_path":$1,"content":$2}`,
			judged: "it takes no other command from a hook",
		},
		"copilot": {
			args: []string{"--allow-all-tools", "-p"},
			env: []string{
				"COPILOT_PROVIDER_BASE_URL=$URL/openai/v1", "COPILOT_PROVIDER_API_KEY=$KEY",
				"COPILOT_MODEL=scripted", "COPILOT_OFFLINE=true",
			},
			shell: `bash {"command":$1,"description":"d"}`,
			write: `create {"path":$1,"file_text":$2}`,
		},
		"opencode": {
			args: []string{"run", "--model", "scripted/scripted"},
			env: []string{
				"OPENCODE_DISABLE_MODELS_FETCH=1",
				"npm_config_registry=$URL/npm", // it looks for a package at its start, and works without
			},
			files: map[string]string{".config/opencode/opencode.json": `{"autoupdate":false,"provider":{"scripted":{
"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"$URL/openai/v1","apiKey":"$KEY"},
"models":{"scripted":{"tool_call":true,"limit":{"context":200000,"output":8000}}}}}}
`},
			shell: `bash {"command":$1,"description":"d"}`,
			write: `write {"filePath":$1,"content":$2}`,
		},
		"cline": {
			args: []string{"--provider", "openai-compatible", "--model", "scripted"},
			before: []string{
				"auth", "openai-compatible", "--apikey", key, "--modelid", "scripted", "--baseurl", "$URL/openai/v1",
			},
			shell: `run_commands {"commands":[$1]}`,
			write: `editor {"path":$1,"new_text":$2}`,
		},
	}
}

// A call is one that the model makes.
type call struct {
	name, args string
	custom     bool // args is a text and no object
}

// callOf puts words into the form of a tool.
func callOf(form string, words ...string) call {
	name, args, _ := strings.Cut(form, " ")
	if args == "$patch" {
		file := filepath.Base(words[0])
		return call{name, "*** Begin Patch\n*** Add File: " + file + "\n+" + words[1] + "*** End Patch", true}
	}
	for i, w := range words {
		text, err := json.Marshal(w)
		if err != nil {
			panic(err) // of a string
		}
		args = strings.ReplaceAll(args, "$"+string(rune('1'+i)), string(text))
	}
	return call{name, args, false}
}

// carried are the members of a client's settings that say what it asks and allows. Keys, servers, variables and all
// else stay where they are.
var carried = [...]string{
	"hooks", "disableAllHooks", "allowManagedHooksOnly", "hooksConfig", "permissions", "tools", "$version",
}

// settings are the person's, as far as they are carried, with what the trial needs. What is no object is none.
func (c *client) settings(text []byte) ([]byte, error) {
	out := map[string]json.RawMessage{}
	if c.adds != "" {
		if err := json.Unmarshal([]byte(c.adds), &out); err != nil {
			return nil, err
		}
	}
	plain, err := helvejson.Plain(text)
	if err != nil {
		return nil, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(plain, &all); err != nil {
		return nil, err
	}
	for _, name := range carried {
		if v, ok := all[name]; ok {
			out[name] = v
		}
	}
	return json.Marshal(out)
}

// write puts files into a folder.
func write(dir string, files map[string]string) error {
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}
