//go:build !linux

package bench

import "time"

// CPU is 0: the clock of another process is Linux's.
func CPU(int) time.Duration { return 0 }

// OwnCPU is not known.
func OwnCPU(int) time.Duration { return 0 }

// RSS is 0: there is no /proc.
func RSS(int) int64 { return 0 }

// Below is nothing: there is no /proc.
func Below(int) []int { return nil }
