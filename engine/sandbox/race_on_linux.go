//go:build race

package sandbox

// raceEnv spares a launcher, and a probe, that is built with the race detector the second for which that sleeps at
// the end of a program.
func raceEnv() []string { return []string{"GORACE=atexit_sleep_ms=0"} }
