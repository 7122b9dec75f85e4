// Package job holds a program of Windows and all that it starts in one job object, so that they can be ended together.
// On other systems it has nothing: there a process group does that.
package job
