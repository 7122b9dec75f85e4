package main

// A target is a package that faults are put into.
type target struct {
	name   string // its folder
	waist  bool
	own    string  // which of its own tests, as go test's -run; "" is all
	owners []suite // whose tests own its behaviour, beside its own, the quickest first
}

// A suite is a package's tests, or those that a pattern names.
type suite struct {
	folder string
	run    string // as go test's -run; "" is all
}

// judged are the tests of the root that judge whole calls, and lines by what they would do.
const judged = "LooserMode|LookingIsNot|UnderstandsTheCommands|RunsNothingThatARule|RulesHold"

// front are the tests of the root that ask for behaviour. Those that read the module's text would see the fault itself.
const front = "AFolder|TheWidest|ABroken|AContext|OneFolder|AWorkspace|ClosingEnds|EachOption|AServer|TheAgentOf|" +
	"NoUnknownName|Deploy|EveryFailureHas|EveryRefusalHas|LooserMode|WhatAsk|Example"

// targets is the table of what is tried. The floors of what is to be noticed stand in report.go.
var targets = []target{
	{"tool", true, "", []suite{{"wrap", ""}, {"script", "Calls|Yes|Agreed|Ticket"}}},
	{"policy", true, "", []suite{
		{".", judged},
		{"cmd/helve", "TestScripts/(denied|review|trust|why|bash)$"},
	}},
	{"wrap", true, "", []suite{{"cmd/helve", "TestScripts/(hooks|record|bash)$"}}},
	{"engine/schema", true, "", []suite{{"tool", ""}}},
	{"builtin/internal/edit", true, "", []suite{
		{"builtin", "Edit|Write"},
		{"cmd/helve", "TestScripts/(edit|edit_session|write)$"},
	}},
	{"internal/change", true, "", []suite{{"engine/sandbox", "Layer"}, {"internal/change/check", ""}, {"builtin/internal/history", ""}}},
	{"internal/fsroot", true, "", []suite{{"builtin", "Edit|Write|Read|Move|List"}}},
	{"internal/beneath", true, "", []suite{{"internal/fsroot", ""}, {"internal/change", "Apply|Link"}}},
	{"internal/change/check", false, "", []suite{{"cmd/helve", "TestScripts/(undo|undo_commands|bash)$"}}},
	{"builtin/internal/history", false, "", []suite{{"cmd/helve", "TestScripts/(undo|undo_commands)$"}}},
	{"engine/shell", false, "", []suite{{".", judged}}},
	{"source/upstream", false, "", []suite{{"cmd/helve", "TestScripts/mcp"}}},
	{"source/nats", false, "", []suite{{"server/nats", ""}}},
	{"server", false, "", []suite{{"cmd/helve", "TestScripts/(serve|serve_where|mcp_self)$"}}},
	{"script", false, "", []suite{{"cmd/helve", "TestScripts/(declare|data|discover_script)$"}}},
	{"codetool", false, "", []suite{{"cmd/helve", "TestScripts/(code|index|refactor|move)$"}}},
	{"internal/workspace", false, "", []suite{
		{".", front},
		{"cmd/helve", "TestScripts/(config|trust|why|rules|undo|serve|mcp|small|record|hooks|add_dir)"},
	}},
	{".", false, front, []suite{{"parts/everything", ""}, {"parts/code", ""}}},
}

func names() []string {
	return chosen(false)
}

func chosen(waist bool) []string {
	var out []string
	for _, t := range targets {
		if t.waist || !waist {
			out = append(out, t.name)
		}
	}
	return out
}

func found(name string) target {
	for _, t := range targets {
		if t.name == name {
			return t
		}
	}
	return target{name: name}
}
