package code

import (
	"encoding/binary"
	"errors"

	"helve/code/syntax"
)

// A file's rows are packed into bytes: varints throughout, offsets and lines as differences. One definition takes
// about ten bytes and one reference six. The names are numbers of the index's names.
//
//	imports, definitions, references: three counts and the size of the first two parts
//	import      module name local line±
//	definition  kind and flags, name, [owner] [type] [parent], start±, length, body, line±, further lines
//	reference   from±, use and qualifier, name, line±
const (
	hasOwner  = 1 << 5
	hasType   = 1 << 6
	hasParent = 1 << 7
	kindMask  = hasOwner - 1
)

var errCorrupt = errors.New("index: corrupt rows")

// packer packs rows; its memory is reused.
type packer struct {
	out, body []byte
}

// pack answers the packed form of rows, valid until the next call. number gives the index's number of a name.
func (p *packer) pack(rows *syntax.Rows, number func(syntax.Sym) uint32) []byte {
	p.body = p.body[:0]
	for i := range rows.Imports {
		m := &rows.Imports[i]
		p.num(uint64(number(m.Module)), uint64(number(m.Name)), uint64(number(m.Local)), uint64(m.Line))
	}
	imports := len(p.body)
	p.defs(rows.Defs, number)
	defs := len(p.body) - imports
	p.refs(rows.Refs, number)
	p.out = p.out[:0]
	for _, n := range []int{len(rows.Imports), imports, len(rows.Defs), defs, len(rows.Refs)} {
		p.out = binary.AppendUvarint(p.out, uint64(n))
	}
	p.out = append(p.out, p.body...)
	return p.out
}

func (p *packer) num(list ...uint64) {
	for _, v := range list {
		p.body = binary.AppendUvarint(p.body, v)
	}
}

func (p *packer) defs(defs []syntax.Def, number func(syntax.Sym) uint32) {
	var start, line int32
	for i := range defs {
		d := &defs[i]
		head := byte(d.Kind)
		if d.Owner != 0 {
			head |= hasOwner
		}
		if d.Type != 0 {
			head |= hasType
		}
		if d.Parent >= 0 {
			head |= hasParent
		}
		b := append(p.body, head)
		b = binary.AppendUvarint(b, uint64(number(d.Name)))
		if d.Owner != 0 {
			b = binary.AppendUvarint(b, uint64(number(d.Owner)))
		}
		if d.Type != 0 {
			b = binary.AppendUvarint(b, uint64(number(d.Type)))
		}
		if d.Parent >= 0 {
			b = binary.AppendUvarint(b, uint64(d.Parent))
		}
		b = binary.AppendVarint(b, int64(d.Start-start))
		b = binary.AppendUvarint(b, uint64(max(d.End-d.Start, 0)))
		b = binary.AppendUvarint(b, uint64(max(d.Body-d.Start, 0)))
		b = binary.AppendVarint(b, int64(d.Line-line))
		b = binary.AppendUvarint(b, uint64(max(d.EndLine-d.Line, 0)))
		p.body = b
		start, line = d.Start, d.Line
	}
}

func (p *packer) refs(refs []syntax.Ref, number func(syntax.Sym) uint32) {
	from, line := int32(-1), int32(0)
	for i := range refs {
		r := &refs[i]
		b := binary.AppendVarint(p.body, int64(r.From-from))
		b = binary.AppendUvarint(b, uint64(number(r.Qualifier))<<2|uint64(r.Use))
		b = binary.AppendUvarint(b, uint64(number(r.Name)))
		p.body = binary.AppendVarint(b, int64(r.Line-line))
		from, line = r.From, r.Line
	}
}

// def and ref are definitions and references with the index's numbers for names.
type def struct {
	name, owner, typ uint32
	kind             syntax.Kind
	parent           int32
	start, end, body int32
	line, endLine    int32
}

type ref struct {
	name, qual uint32
	use        syntax.Use
	from, line int32
}

type importRow struct {
	module, name, local uint32
	line                int32
}

// unpacker reads packed rows. After a mistake in them every number is 0 and err is set.
type unpacker struct {
	b   []byte
	err error
}

func (u *unpacker) uvarint() uint64 {
	v, n := binary.Uvarint(u.b)
	if n <= 0 {
		u.b, u.err = nil, errCorrupt
		return 0
	}
	u.b = u.b[n:]
	return v
}

func (u *unpacker) varint() int32 {
	v, n := binary.Varint(u.b)
	if n <= 0 {
		u.b, u.err = nil, errCorrupt
		return 0
	}
	u.b = u.b[n:]
	return int32(v)
}

// parts are the packed imports, definitions and references of a file, with their counts.
type parts struct {
	imports, defs, refs             unpacker
	importCount, defCount, refCount int
}

func open(packed []byte) (parts, error) {
	u := unpacker{b: packed}
	var p parts
	p.importCount = int(u.uvarint())
	imports := u.uvarint()
	p.defCount = int(u.uvarint())
	defs := u.uvarint()
	p.refCount = int(u.uvarint())
	size := uint64(len(u.b))
	if u.err != nil || imports > size || defs > size-imports {
		return parts{}, errCorrupt
	}
	if p.importCount < 0 || p.defCount < 0 || p.refCount < 0 || p.importCount > len(packed) || p.defCount > len(packed) || p.refCount > len(packed) {
		return parts{}, errCorrupt
	}
	p.imports.b = u.b[:imports]
	p.defs.b = u.b[imports : imports+defs]
	p.refs.b = u.b[imports+defs:]
	return p, nil
}

func unpackImports(packed []byte) []importRow {
	p, err := open(packed)
	if err != nil || p.importCount == 0 {
		return nil
	}
	rows := make([]importRow, 0, p.importCount)
	u := &p.imports
	for range p.importCount {
		m := importRow{module: uint32(u.uvarint()), name: uint32(u.uvarint()), local: uint32(u.uvarint()), line: int32(u.uvarint())}
		if u.err != nil {
			return nil
		}
		rows = append(rows, m)
	}
	return rows
}

func unpackDefs(packed []byte) []def {
	p, err := open(packed)
	if err != nil || p.defCount == 0 {
		return nil
	}
	rows := make([]def, 0, p.defCount)
	var d def
	for range p.defCount {
		p.defs.def(&d, int32(len(rows)))
		if p.defs.err != nil { // as many as the references count on, without names
			rows = rows[:p.defCount]
			for i := range rows {
				rows[i] = def{parent: -1}
			}
			return rows
		}
		rows = append(rows, d)
	}
	return rows
}

// def reads the definition with this index; d is the one before.
func (u *unpacker) def(d *def, index int32) {
	if len(u.b) == 0 {
		u.err = errCorrupt
		return
	}
	head := u.b[0]
	u.b = u.b[1:]
	d.kind, d.parent, d.owner, d.typ = syntax.Kind(head&kindMask), -1, 0, 0
	d.name = uint32(u.uvarint())
	if head&hasOwner != 0 {
		d.owner = uint32(u.uvarint())
	}
	if head&hasType != 0 {
		d.typ = uint32(u.uvarint())
	}
	if head&hasParent != 0 {
		if d.parent = int32(u.uvarint()); d.parent >= index || d.parent < 0 {
			d.parent = -1
		}
	}
	d.start += u.varint()
	d.end = d.start + int32(u.uvarint())
	d.body = d.start + int32(u.uvarint())
	d.line += u.varint()
	d.endLine = d.line + int32(u.uvarint())
}

func unpackRefs(packed []byte) []ref {
	p, err := open(packed)
	if err != nil || p.refCount == 0 {
		return nil
	}
	rows := make([]ref, 0, p.refCount)
	r := ref{from: -1}
	for range p.refCount {
		p.refs.ref(&r)
		if p.refs.err != nil {
			return nil
		}
		if int(r.from) < p.defCount && r.from >= -1 {
			rows = append(rows, r)
		}
	}
	return rows
}

// refsNamed are the references to one name: those of a large file need no list of all.
func refsNamed(packed []byte, name uint32) []ref {
	p, err := open(packed)
	if err != nil {
		return nil
	}
	var rows []ref
	r := ref{from: -1}
	for range p.refCount {
		if p.refs.ref(&r); p.refs.err != nil {
			return nil
		}
		if r.name == name && int(r.from) < p.defCount && r.from >= -1 {
			rows = append(rows, r)
		}
	}
	return rows
}

func (u *unpacker) ref(r *ref) {
	r.from += u.varint()
	q := u.uvarint()
	r.use, r.qual = syntax.Use(q&3), uint32(q>>2)
	r.name = uint32(u.uvarint())
	r.line += u.varint()
}
