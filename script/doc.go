// Package script makes the tool run_script: a script in Starlark that calls other tools, each as a function, and
// gives back what it made of their results. A model so spends one call, and the tokens of an answer, where it would
// spend many.
//
// Every call of a script goes through the kit under its own name, as if a model had made it: it is judged, asked about,
// recorded and can be undone. The interpreter runs in a child process that has no files, no network and a bounded share
// of memory and time; where this system cannot keep that, there is no such tool.
//
// A program that runs scripts calls interpreter.Init of helve/script/interpreter first in main. The interpreter is
// apart because it is 1 MB of program.
package script
