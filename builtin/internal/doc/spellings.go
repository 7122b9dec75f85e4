package doc

import (
	"helve/engine/schema"
)

// What other agents' tools call the parameters of ours, and what else they say in their own words. A name alone
// stands in the first table of a tool, a name whose value is another one in the second. What is in neither is
// refused.

// WithProgress adds the checklist that some agents send with every call.
func WithProgress(words map[string]schema.Spelling) map[string]schema.Spelling {
	words["task_progress"] = schema.Spelling{Moot: "todo_write keeps the list"}
	return words
}
