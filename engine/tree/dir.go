package tree

// begin reads the beginning of a regular file, and closes it.
func (h Handle) begin(limit int64) []byte {
	defer h.Close()
	st, regular, err := h.Stat()
	if err != nil || !regular {
		return nil
	}
	buf := make([]byte, min(st.Size, limit))
	n, _ := h.ReadAt(buf, 0)
	return buf[:n]
}

// Open opens a file of the directory. The caller closes it.
func (d *Dir) Open(name string) (Handle, error) { return d.handle.open(name) }
