// Module helve is the tool system of AI coding agents: one library, one static binary.
//
// Start at package [helve/tool]: the words (Tool, Call, Job, Result) and the one door (Kit.Call) that every call
// passes. docs/ARCHITECTURE.md draws the floors of the house.
package helve
