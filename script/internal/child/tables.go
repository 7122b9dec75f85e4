package child

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// tableModule is csv.
func tableModule() *starlarkstruct.Module {
	return &starlarkstruct.Module{Name: "csv", Members: starlark.StringDict{
		"read":  starlark.NewBuiltin("csv.read", readTable),
		"write": starlark.NewBuiltin("csv.write", writeTable),
	}}
}

// readTable is csv.read(text, header=True, delimiter=","): dicts by the names of the first row, or lists.
func readTable(
	_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
) (starlark.Value, error) {
	var text string
	header, mark := true, ","
	err := starlark.UnpackArgs(b.Name(), args, kwargs, "text", &text, "header?", &header, "delimiter?", &mark)
	if err != nil {
		return nil, err
	}
	comma, err := delimiter(mark)
	if err != nil {
		return nil, err
	}
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = comma, -1, true
	var names []string
	var rows []starlark.Value
	for {
		cells, err := r.Read()
		if err == io.EOF {
			return starlark.NewList(rows), nil
		}
		if err != nil {
			return nil, fmt.Errorf("csv.read: %w", err)
		}
		if header && names == nil {
			names = append([]string{}, cells...)
			continue
		}
		row, err := tableRow(names, cells)
		if err != nil {
			line, _ := r.FieldPos(0)
			return nil, fmt.Errorf("csv.read: line %d: %w", line, err)
		}
		rows = append(rows, row)
	}
}

// delimiter is what stands between cells.
func delimiter(mark string) (rune, error) {
	r, size := utf8.DecodeRuneInString(mark)
	if size == 0 || size != len(mark) {
		return 0, fmt.Errorf("csv: delimiter %q: want one character", mark)
	}
	return r, nil
}

// tableRow is a row by the names of the cells, or a list where there are no names. What is missing at its end is empty.
func tableRow(names, cells []string) (starlark.Value, error) {
	if names == nil {
		out := make([]starlark.Value, len(cells))
		for i, c := range cells {
			out[i] = starlark.String(c)
		}
		return starlark.NewList(out), nil
	}
	if len(cells) > len(names) {
		return nil, fmt.Errorf("it has %d cells, and the header %d", len(cells), len(names))
	}
	d := starlark.NewDict(len(names))
	for i, name := range names {
		cell := ""
		if i < len(cells) {
			cell = cells[i]
		}
		if err := d.SetKey(starlark.String(name), starlark.String(cell)); err != nil {
			return nil, err
		}
	}
	return record{Dict: d}, nil
}

// writeTable is csv.write(rows, header=None, delimiter=","): rows are lists or dicts. Of dicts the header is that of
// the first, unless another one is given; False leaves it out.
func writeTable(
	_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
) (starlark.Value, error) {
	var list starlark.Iterable
	var header starlark.Value = starlark.None
	mark := ","
	err := starlark.UnpackArgs(b.Name(), args, kwargs, "rows", &list, "header?", &header, "delimiter?", &mark)
	if err != nil {
		return nil, err
	}
	comma, err := delimiter(mark)
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	w := &tableWriter{Writer: csv.NewWriter(&out)}
	w.Comma = comma
	if err := w.header(header); err != nil {
		return nil, err
	}
	it := list.Iterate()
	defer it.Done()
	var row starlark.Value
	for n := 1; it.Next(&row); n++ {
		if err := w.row(row); err != nil {
			return nil, fmt.Errorf("csv.write: row %d: %w", n, err)
		}
	}
	w.Flush()
	return starlark.String(out.String()), w.Error()
}

// A tableWriter writes rows.
type tableWriter struct {
	*csv.Writer
	names  []starlark.Value // of the cells of dicts; nil: no row has said them
	silent bool             // they are not written
}

// header takes the names that the caller gives, and writes them.
func (w *tableWriter) header(given starlark.Value) error {
	switch given {
	case starlark.None, starlark.True:
		return nil
	case starlark.False:
		w.silent = true
		return nil
	}
	list, ok := given.(starlark.Iterable)
	if !ok {
		return fmt.Errorf("csv.write: header is a %s, and must be a list", given.Type())
	}
	w.names = items(list)
	return w.cells(w.names)
}

// row writes a row.
func (w *tableWriter) row(row starlark.Value) error {
	if d, ok := row.(starlark.IterableMapping); ok {
		return w.dict(d)
	}
	list, ok := row.(starlark.Iterable)
	if !ok {
		return fmt.Errorf("it is a %s, and must be a list or a dict", row.Type())
	}
	return w.cells(items(list))
}

// dict writes the cells of a dict in the order of the header.
func (w *tableWriter) dict(d starlark.IterableMapping) error {
	if w.names == nil {
		w.names = items(d)
		if !w.silent {
			if err := w.cells(w.names); err != nil {
				return err
			}
		}
	}
	cells := make([]starlark.Value, len(w.names))
	for i, name := range w.names {
		v, found, err := d.Get(name)
		if err != nil {
			return err
		}
		if !found {
			v = starlark.None
		}
		cells[i] = v
	}
	return w.cells(cells)
}

// cells writes values: None is an empty cell.
func (w *tableWriter) cells(values []starlark.Value) error {
	if len(values) == 0 {
		return errors.New("it is empty")
	}
	out := make([]string, len(values))
	for i, v := range values {
		text, plain := starlark.AsString(v)
		switch {
		case plain:
			out[i] = text
		case v != starlark.None:
			out[i] = v.String()
		}
	}
	return w.Write(out)
}

// items are the values of a list.
func items(list starlark.Iterable) []starlark.Value {
	var out []starlark.Value
	it := list.Iterate()
	defer it.Done()
	var x starlark.Value
	for it.Next(&x) {
		out = append(out, x)
	}
	return out
}
