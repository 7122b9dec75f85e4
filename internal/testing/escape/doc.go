// Package escape is where commands run over a layer, as an agent's would, and what they changed is
// made: ordinary work must come out as if it had been done without a layer, and attacks must leave
// no mark when git runs outside afterwards. It has tests only.
package escape
