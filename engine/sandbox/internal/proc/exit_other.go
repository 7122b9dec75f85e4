//go:build !linux

package proc

// ExitRefused is the exit status of a supervisor that could not start the command.
const ExitRefused = 125

// Supervisors need Linux; Start refuses them elsewhere.
type (
	link     struct{}
	Prepared struct{}
)
