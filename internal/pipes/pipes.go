// Package pipes tells what is in a pipe. Whoever gives up on a pipe that others may hold open for
// ever asks first whether something was written to it that nobody has read yet: a clock alone
// cannot tell that on a machine that is busy.
package pipes
