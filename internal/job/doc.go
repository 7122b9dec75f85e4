// Package job holds a program of Windows and all that it starts in one job object, so that they can be ended together,
// and makes the token with which a program changes nothing. On other systems it has neither: there process groups and
// sandboxes do that.
package job
