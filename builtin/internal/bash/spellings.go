package bash

import (
	"helve/builtin/internal/doc"
	"helve/engine/schema"
)

func bashParams() map[string]string {
	return map[string]string{
		"cmd":           "command",
		"cwd":           "working_directory",
		"workdir":       "working_directory",
		"directory":     "working_directory",
		"dir_path":      "working_directory",
		"timeout_ms":    "timeout",
		"background":    "run_in_background",
		"is_background": "run_in_background",
	}
}

// bashWords never widens what a command may do: what would is taken only where it is switched off.
func bashWords() map[string]schema.Spelling {
	return doc.WithProgress(map[string]schema.Spelling{
		"timeout_seconds":            {To: "timeout", Times: 1000},
		"timeout_secs":               {To: "timeout", Times: 1000},
		"wait_for_completion":        {To: "run_in_background", Not: true},
		"blocking":                   {To: "run_in_background", Not: true},
		"requires_approval":          {Moot: "who approves is decided by the policy"},
		"dangerouslyDisableSandbox":  {Only: "false"},
		"with_escalated_permissions": {Only: "false"},
		"restart":                    {Only: "false"},
		"shell":                      {Only: `"bash"`},
		"login":                      {Only: "false"},
		"tty":                        {Only: "false"},
		"sandbox_permissions":        {Only: `"use_default"`},
		"prefix_rule":                {Moot: "what holds longer is asked of the person"},
	})
}

// bashTaskParams are what other tools call a background command.
func bashTaskParams() map[string]string {
	return map[string]string{
		"bash_id":  "task_id",
		"shell_id": "task_id",
	}
}

func bashOutputParams() map[string]string {
	out := bashTaskParams()
	out["timeout"] = "wait"
	return out
}

func bashOutputWords() map[string]schema.Spelling {
	return map[string]schema.Spelling{
		"block": {Moot: "wait says how long"},
	}
}
