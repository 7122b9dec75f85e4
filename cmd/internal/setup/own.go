package setup

import "os"

// Own is where this program stands, and whether a shell finds it by its name. The path that PATH has outlives an
// update: what it leads to may have a version in its name.
func Own(getenv func(string) string) (path string, named bool, err error) {
	path, err = os.Executable()
	if err != nil {
		return "", false, err
	}
	if found := Look(getenv("PATH"), Name); found != "" && SameFile(found, path) {
		return found, true, nil
	}
	return path, false, nil
}

// SameFile tells that two paths lead to one file.
func SameFile(a, b string) bool {
	one, err := os.Stat(a)
	other, bad := os.Stat(b)
	return err == nil && bad == nil && os.SameFile(one, other)
}
