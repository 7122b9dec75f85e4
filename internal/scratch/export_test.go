package scratch

// Thin is what becomes of a folder with more entries than so many.
func (f *Folder) Thin(most int) error {
	_, err := f.with(func(c *copying) error { return c.thin(most) })
	return err
}
