package app

import (
	"bufio"
	"text/tabwriter"
)

// A table lines up cells that tabs separate, and writes them at once: tabwriter alone writes every cell by itself.
type table struct {
	*tabwriter.Writer
	out *bufio.Writer
}

func (a *app) table() *table {
	out := bufio.NewWriter(a.env.Stdout)
	return &table{Writer: tabwriter.NewWriter(out, 0, 0, 2, ' ', 0), out: out}
}

func (t *table) Flush() error {
	if err := t.Writer.Flush(); err != nil {
		return err
	}
	return t.out.Flush()
}
