package policy

// A Table is what becomes of each act, by mode, for tests that change it.
type Table = modesTable

// Built is the table that counts.
func Built() Table { return modeTable }

// By has rules decide by another table.
func (o Options) By(t *Table) Options {
	o.table = t
	return o
}

func (t *modesTable) Markdown() string      { return t.markdown() }
func (t *modesTable) Summary(m Mode) string { return t.summary(m) }
