// Package ptytest runs programs of tests on a terminal of their own: a pseudo-terminal, and what a
// person would see on it. Linux only.
package ptytest
