package diff

import (
	"fmt"
	"strings"
)

// Unified is the diff in the form that patch and git apply read, "" when nothing changed. Where
// MaxLines cut it, a last line says how much is missing; such a text is for reading only.
func (d *Diff) Unified(oldName, newName string) string {
	if len(d.Hunks) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", oldName, newName)
	d.body(&b)
	return b.String()
}

// Body is Unified without the two lines of names.
func (d *Diff) Body() string {
	var b strings.Builder
	d.body(&b)
	return b.String()
}

func (d *Diff) body(b *strings.Builder) {
	for _, h := range d.Hunks {
		fmt.Fprintf(b, "@@ -%s +%s @@\n", span(h.Old, h.OldLines), span(h.New, h.NewLines))
		for _, l := range h.Lines {
			b.WriteByte(byte(l.Kind))
			b.WriteString(l.Text)
			b.WriteByte('\n')
			if l.Open {
				b.WriteString("\\ No newline at end of file\n")
			}
		}
	}
	if d.Cut > 0 {
		fmt.Fprintf(b, "… %d more lines\n", d.Cut)
	}
}

func span(start, lines int) string {
	if lines == 1 {
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, lines)
}

// Stat says how much changed: "+3 -1".
func (d *Diff) Stat() string { return fmt.Sprintf("+%d -%d", d.Added, d.Removed) }
