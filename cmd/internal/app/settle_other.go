//go:build !linux

package app

func dropProgram() {}
