package main

// Add adds.
func Add(a, b int) int { return a + b }

func half(a int) int { return a / 2 }
