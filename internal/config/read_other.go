//go:build !unix

package config

import "io/fs"

const openFlags = 0

func isLoop(error) bool { return false }

// Ownership is a matter of access lists here, which are not looked at.
func foreign(fs.FileInfo) string   { return "" }
func openToAll(fs.FileInfo) string { return "" }

func isNull(string) bool { return false }
