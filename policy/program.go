package policy

import (
	"runtime"

	"helve/tool"
)

// Allow is a rule of a program, tool or tool:pattern, that names the line which calls it: what an explanation shows.
func Allow(text string) Rule { return Rule{tool.Allow, text, caller()} }

// Ask is a rule of a program that has a person asked; see Allow.
func Ask(text string) Rule { return Rule{tool.Ask, text, caller()} }

// Deny is a rule of a program that refuses; see Allow.
func Deny(text string) Rule { return Rule{tool.Deny, text, caller()} }

// caller is the line outside of this file that asked for a rule.
func caller() Place {
	_, file, line, _ := runtime.Caller(2)
	return Place{File: file, Line: line}
}
