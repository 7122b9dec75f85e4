// Package command brings the tools that a program of the project tells about.
//
// A discovery command prints a JSON array of declarations; each call runs the
// call command with the tool's name as its last word and the arguments as JSON
// on its stdin:
//
//	c := command.Config{Discover: "npm run -s tools", Call: "npm run -s tool", Dir: root}
//	src := command.New(c, command.Options{})
//	err := registry.Attach(ctx, src)
//
// Commands are split into words as a shell would, and never given to one.
package command
