package todo

import (
	"helve/engine/schema"
)

func todoParams() map[string]string {
	return map[string]string{
		"items": "todos",
		"tasks": "todos",
		"plan":  "todos",
	}
}

// todoWords understands items as Claude Code and Codex write them.
func todoWords() map[string]schema.Spelling {
	return map[string]schema.Spelling{
		"todos[].activeForm":  {Moot: "content says it"},
		"todos[].description": {To: "content"},
		"todos[].step":        {To: "content"},
		"todos[].task":        {To: "content"},
	}
}
