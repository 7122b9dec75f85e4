//go:build race

package script_test

const raceOn = true
