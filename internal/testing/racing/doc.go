// Package racing puts symbolic links in the place of directories and files while a test looks at them. It does so on
// Linux, where a directory and a link can be exchanged in one step.
package racing
