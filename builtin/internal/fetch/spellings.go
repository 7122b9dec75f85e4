package fetch

import (
	"helve/builtin/internal/doc"
	"helve/engine/schema"
)

func fetchParams() map[string]string {
	return map[string]string{
		"uri":      "url",
		"link":     "url",
		"question": "prompt",
	}
}

// fetchWords takes the one form in which pages come.
func fetchWords() map[string]schema.Spelling {
	return doc.WithProgress(map[string]schema.Spelling{
		"format": {Only: `"markdown"`},
		"raw":    {Only: "false"},
	})
}
