//go:build !race

package sandbox

// raceEnv is for programs with the race detector only.
func raceEnv() []string { return nil }
