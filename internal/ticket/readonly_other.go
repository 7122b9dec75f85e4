//go:build !unix

package ticket

// isReadOnly is for systems whose errors say it as fs.ErrPermission.
func isReadOnly(error) bool { return false }
