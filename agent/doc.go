// Package agent runs a model against a kit: the loop of a coding agent.
package agent
