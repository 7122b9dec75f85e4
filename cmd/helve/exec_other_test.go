//go:build !unix

package main

import "os"

func signalStatus(*os.ProcessState) int { return -1 }
