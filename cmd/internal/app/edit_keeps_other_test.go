//go:build !linux && !darwin

package app_test

import "os"

func setAttribute(string) bool { return false }

func hasAttribute(string) bool { return false }

func owner(os.FileInfo) string { return "" }
