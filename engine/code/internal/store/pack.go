package store

import (
	"encoding/binary"
	"errors"

	"helve/engine/code/internal/syntax"
)

// A file's rows are packed into bytes: varints throughout, offsets and lines as differences. One definition takes
// about ten bytes and one reference six. The names are numbers of the index's names.
//
//	imports, definitions, bases, references: four counts and the size of the first three parts
//	import      module name local line±
//	definition  kind and flags, name, [owner] [type] [parent], start±, length, body, line±, further lines
//	reference   from±, use and qualifier, name, line±; those to bases
//	            stand in a part of their own, since questions about types need no others
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
	bases := p.refs(rows.Refs, true, number)
	size := len(p.body) - imports - defs
	others := p.refs(rows.Refs, false, number)
	p.out = p.out[:0]
	for _, n := range []int{len(rows.Imports), imports, len(rows.Defs), defs, bases, size, others} {
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

// refs packs the references to bases, or all others, and counts them.
func (p *packer) refs(refs []syntax.Ref, bases bool, number func(syntax.Sym) uint32) int {
	from, line, count := int32(-1), int32(0), 0
	for i := range refs {
		r := &refs[i]
		if bases != (r.Use == syntax.Inherit) {
			continue
		}
		count++
		b := binary.AppendVarint(p.body, int64(r.From-from))
		b = binary.AppendUvarint(b, uint64(number(r.Qualifier))<<2|uint64(r.Use))
		b = binary.AppendUvarint(b, uint64(number(r.Name)))
		p.body = binary.AppendVarint(b, int64(r.Line-line))
		from, line = r.From, r.Line
	}
	return count
}

// Def and ref are definitions and references with the index's numbers for names.
type Def struct {
	Name, Owner, Type uint32
	Kind              syntax.Kind
	Parent            int32
	Start, End, Body  int32
	Line, EndLine     int32
}

type Ref struct {
	Name, Qual uint32
	Use        syntax.Use
	From, Line int32
}

type ImportRow struct {
	Module, Name, Local uint32
	Line                int32
}

// unpacker reads packed rows. After a mistake in them every number is 0 and err is set.
type unpacker struct {
	b   []byte
	at  int // of the next number
	err error
}

// uvarint reads a number. Two of three have one byte.
func (u *unpacker) uvarint() uint64 {
	if u.at < len(u.b) && u.b[u.at] < 0x80 {
		u.at++
		return uint64(u.b[u.at-1])
	}
	return u.long()
}

func (u *unpacker) long() uint64 {
	var v uint64
	for i, shift := u.at, 0; i < len(u.b) && shift < 64; i, shift = i+1, shift+7 {
		c := u.b[i]
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			u.at = i + 1
			return v
		}
	}
	u.b, u.at, u.err = nil, 0, errCorrupt
	return 0
}

func (u *unpacker) varint() int32 {
	v := u.uvarint()
	return int32(v>>1) ^ -int32(v&1)
}

// parts are the packed imports, definitions, references to bases and other references of a file, with their counts.
type parts struct {
	imports, defs, bases, refs                 unpacker
	importCount, defCount, baseCount, refCount int
}

func open(packed []byte) (parts, error) {
	u := unpacker{b: packed}
	var p parts
	p.importCount = int(u.uvarint())
	imports := u.uvarint()
	p.defCount = int(u.uvarint())
	defs := u.uvarint()
	p.baseCount = int(u.uvarint())
	bases := u.uvarint()
	p.refCount = int(u.uvarint())
	rest := u.b[u.at:]
	size := uint64(len(rest))
	if u.err != nil || imports > size || defs > size-imports || bases > size-imports-defs {
		return parts{}, errCorrupt
	}
	for _, n := range [...]int{p.importCount, p.defCount, p.baseCount, p.refCount} {
		if n < 0 || n > len(packed) {
			return parts{}, errCorrupt
		}
	}
	p.imports.b, rest = rest[:imports], rest[imports:]
	p.defs.b, rest = rest[:defs], rest[defs:]
	p.bases.b, p.refs.b = rest[:bases], rest[bases:]
	return p, nil
}

func UnpackImports(packed []byte) []ImportRow {
	p, err := open(packed)
	if err != nil || p.importCount == 0 {
		return nil
	}
	rows := make([]ImportRow, 0, p.importCount)
	u := &p.imports
	for range p.importCount {
		m := ImportRow{
			Module: uint32(u.uvarint()),
			Name:   uint32(u.uvarint()),
			Local:  uint32(u.uvarint()),
			Line:   int32(u.uvarint()),
		}
		if u.err != nil {
			return nil
		}
		rows = append(rows, m)
	}
	return rows
}

func UnpackDefs(packed []byte) []Def {
	p, err := open(packed)
	if err != nil || p.defCount == 0 {
		return nil
	}
	rows := make([]Def, 0, p.defCount)
	var d Def
	for range p.defCount {
		p.defs.def(&d, int32(len(rows)))
		if p.defs.err != nil { // as many as the references count on, without names
			rows = rows[:p.defCount]
			for i := range rows {
				rows[i] = Def{Parent: -1}
			}
			return rows
		}
		rows = append(rows, d)
	}
	return rows
}

// def reads the definition with this index; d is the one before.
func (u *unpacker) def(d *Def, index int32) {
	if u.at >= len(u.b) {
		u.err = errCorrupt
		return
	}
	head := u.b[u.at]
	u.at++
	d.Kind, d.Parent, d.Owner, d.Type = syntax.Kind(head&kindMask), -1, 0, 0
	d.Name = uint32(u.uvarint())
	if head&hasOwner != 0 {
		d.Owner = uint32(u.uvarint())
	}
	if head&hasType != 0 {
		d.Type = uint32(u.uvarint())
	}
	if head&hasParent != 0 {
		if d.Parent = int32(u.uvarint()); d.Parent >= index || d.Parent < 0 {
			d.Parent = -1
		}
	}
	d.Start += u.varint()
	d.End = d.Start + int32(u.uvarint())
	d.Body = d.Start + int32(u.uvarint())
	d.Line += u.varint()
	d.EndLine = d.Line + int32(u.uvarint())
}

// unpackRefs are all references of a file, those to bases first.
func unpackRefs(packed []byte) []Ref {
	p, err := open(packed)
	if err != nil || p.baseCount+p.refCount == 0 {
		return nil
	}
	rows := p.bases.refs(make([]Ref, 0, p.baseCount+p.refCount), p.baseCount, p.defCount, wanted{})
	return p.refs.refs(rows, p.refCount, p.defCount, wanted{})
}

// unpackBases are the references of a file to bases.
func unpackBases(packed []byte) []Ref {
	p, err := open(packed)
	if err != nil || p.baseCount == 0 {
		return nil
	}
	return p.bases.refs(make([]Ref, 0, p.baseCount), p.baseCount, p.defCount, wanted{})
}

// RefsNamed are the references to one name: those of a large file need no list of all.
func RefsNamed(packed []byte, name uint32) []Ref { return refsWanted(packed, wanted{one: name}) }

// RefsAmong are the references to any of names, those to bases first.
func RefsAmong(packed []byte, names NameSet) []Ref { return refsWanted(packed, wanted{many: names}) }

func refsWanted(packed []byte, w wanted) []Ref {
	p, err := open(packed)
	if err != nil {
		return nil
	}
	rows := p.bases.refs(nil, p.baseCount, p.defCount, w)
	return p.refs.refs(rows, p.refCount, p.defCount, w)
}

// wanted tells which names are: one, or many of them. Its zero value wants all.
type wanted struct {
	one  uint32
	many NameSet
}

func (w *wanted) has(y uint32) bool {
	if w.many != nil {
		return w.many.Has(y)
	}
	return w.one == 0 || w.one == y
}

// refs adds count references to rows, of those that are wanted. None are added to a file whose rows are corrupt.
func (u *unpacker) refs(rows []Ref, count, defs int, w wanted) []Ref {
	start := len(rows)
	r := Ref{From: -1}
	for range count {
		if len(u.b)-u.at >= maxRef {
			u.quick(&r)
		} else if u.ref(&r); u.err != nil {
			return rows[:start]
		}
		if w.has(r.Name) && int(r.From) < defs && r.From >= -1 {
			rows = append(rows, r)
		}
	}
	return rows
}

// maxRef is more bytes than a reference takes: four numbers.
const maxRef = 4 * binary.MaxVarintLen64

// quick is ref where maxRef bytes are left. Questions spend half of their time here.
func (u *unpacker) quick(r *Ref) {
	b := u.b[u.at : u.at+maxRef]
	i := 0
	from, q, name, line := uint64(b[0]), uint64(0), uint64(0), uint64(0)
	if i++; from >= 0x80 {
		from, i = numberAt(b, 0)
	}
	if q = uint64(b[i]); q < 0x80 {
		i++
	} else {
		q, i = numberAt(b, i)
	}
	if name = uint64(b[i]); name < 0x80 {
		i++
	} else {
		name, i = numberAt(b, i)
	}
	if line = uint64(b[i]); line < 0x80 {
		i++
	} else {
		line, i = numberAt(b, i)
	}
	u.at += i
	r.From += int32(from>>1) ^ -int32(from&1)
	r.Use, r.Qual, r.Name = syntax.Use(q&3), uint32(q>>2), uint32(name)
	r.Line += int32(line>>1) ^ -int32(line&1)
}

// numberAt reads the number at i, which has at most binary.MaxVarintLen64 bytes, and answers where the next one is.
func numberAt(b []byte, i int) (uint64, int) {
	var v uint64
	for k := range binary.MaxVarintLen64 {
		c := b[i+k]
		v |= uint64(c&0x7f) << (7 * k)
		if c < 0x80 {
			return v, i + k + 1
		}
	}
	return v, i + binary.MaxVarintLen64
}

func (u *unpacker) ref(r *Ref) {
	r.From += u.varint()
	q := u.uvarint()
	r.Use, r.Qual = syntax.Use(q&3), uint32(q>>2)
	r.Name = uint32(u.uvarint())
	r.Line += u.varint()
}
