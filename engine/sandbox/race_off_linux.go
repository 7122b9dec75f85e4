//go:build !race

package sandbox

func raceEnv() []string { return nil }
