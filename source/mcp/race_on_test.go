//go:build race

package mcp

const raceOn = true
