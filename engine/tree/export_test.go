package tree

// TimesTell reports whether a finder remembers anything of a tree.
func TimesTell(root string) bool {
	base, err := openRoot(root)
	if err != nil {
		return false
	}
	defer base.close()
	_, ok := base.timesTell()
	return ok
}

// Branches reads what a finder's file holds, and writes it.
func Branches(data []byte) ([]byte, bool) {
	r := &branchReader{rest: string(data)}
	b := r.branch(0)
	return b.appendTo(nil), !r.bad
}

// Still reports whether a finder would answer without a look at any directory but the root.
func Still(f *Finder) bool { return f.quiet.still }
