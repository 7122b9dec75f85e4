// Package later knows which files other programs run or obey later: editors, agents, shells and package managers that
// are started, or look, in the folder where such a file lies. The list is data, later.txt.
//
// It judges names alone. What stands in git's own directories is judged by content, in package check.
package later
