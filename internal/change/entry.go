package change

import (
	"fmt"
	"io/fs"
	"strconv"
	"time"
	"unicode/utf8"
)

// Type is what stands at a path.
type Type uint8

// The types. None, the zero value, is nothing at all.
const (
	None Type = iota
	File      // a regular file
	Dir       // a directory
	Link      // a symbolic link
	Pipe      // a named pipe
	Socket
	Device // of blocks or characters
)

// String is the type as people call it.
func (t Type) String() string {
	switch t {
	case None:
		return "nothing"
	case File:
		return "a file"
	case Dir:
		return "a directory"
	case Link:
		return "a symbolic link"
	case Pipe:
		return "a named pipe"
	case Socket:
		return "a socket"
	case Device:
		return "a device"
	}
	return "type " + strconv.Itoa(int(t))
}

// An Entry is what stands at a path, or what is to stand there. The zero value is nothing.
type Entry struct {
	Type Type `json:"type,omitempty"`
	// Mode holds permissions, set-user-ID, set-group-ID and the sticky bit; never a type.
	Mode fs.FileMode `json:"mode,omitempty"`
	// Size is in bytes; of a File only.
	Size int64 `json:"size,omitempty"`
	// Time is when the content was changed, in nanoseconds since 1970. In an entry that is to be made, 0 means now.
	Time int64 `json:"time,omitempty"`
	// Target is where a Link leads.
	Target Name `json:"target,omitempty"`
	// Owner is who owns it. In an entry that is to be made, the zero value leaves that to the system.
	Owner Owner `json:"owner,omitzero"`
	// ID tells this entry from all others that exist at the same time. Zero: not known.
	ID ID `json:"id,omitzero"`
	// Changed is when content, mode, owner or names were changed (ctime), in nanoseconds since 1970. Zero: not known.
	Changed int64 `json:"changed,omitempty"`
	// Names counts the names (hard links) of a File. Zero: not known.
	Names uint64 `json:"names,omitempty"`
	// Number is that of a Device; 0 is the number that an overlay's deletions have.
	Number uint64 `json:"number,omitempty"`
}

// An ID is the number of a file system and of an entry in it.
type ID struct {
	Device uint64 `json:"dev"`
	Inode  uint64 `json:"ino"`
}

// An Owner is a user and a group. The zero value is unknown, which is not the same as root.
type Owner struct {
	User  uint32 `json:"uid"`
	Group uint32 `json:"gid"`
	Known bool   `json:"known"`
}

// Special reports what is neither a file, a directory nor a link.
func (e Entry) Special() bool { return e.Type >= Pipe }

// ModeText is the mode as people write it, with the bits beside the permissions.
func (e Entry) ModeText() string {
	bits := e.Mode.Perm()
	for i, mode := range []fs.FileMode{fs.ModeSticky, fs.ModeSetgid, fs.ModeSetuid} {
		if e.Mode&mode != 0 {
			bits |= 0o1000 << i
		}
	}
	return fmt.Sprintf("%04o", uint32(bits))
}

// Modified is Time as a time.
func (e Entry) Modified() time.Time { return time.Unix(0, e.Time) }

// isWhiteout reports how an overlay notes that something is not there any more.
func (e Entry) isWhiteout() bool { return e.Type == Device && e.Number == 0 }

// is reports that now is the entry that was expected: the same thing, and unchanged as far as can be seen. What the
// expectation does not know is not compared.
func (e Entry) is(now Entry) bool {
	if !e.alike(now) {
		return false
	}
	switch {
	case e.Changed == 0, now.Changed == 0, e.Type == Dir:
		return true
	case e.Names > 1: // this set may have changed it under another name
		return true
	}
	return e.Changed == now.Changed
}

// Unchanged tells whether now is the same entry, and what it holds was not changed, as far as the system tells. That
// something in a directory changed is no change of the directory.
func (e Entry) Unchanged(now Entry) bool {
	if e.Type == Dir && now.Type == Dir {
		return e.Mode == now.Mode
	}
	return e.Type == now.Type && e.is(now) && e.Changed == now.Changed
}

// alike is [Entry.is] without the time of the last change, which a rename sets.
func (e Entry) alike(now Entry) bool {
	switch {
	case e.Type != now.Type:
		return false
	case e.Type == None:
		return true
	case e.ID != ID{} && now.ID != ID{} && e.ID != now.ID:
		return false
	case e.Type == Dir: // its size and times follow what is in it
		return true
	case e.Type == Link:
		return e.Target == now.Target
	}
	if e.Time != 0 && e.Time != now.Time {
		return false
	}
	return SameMode(e.Mode, now.Mode) && e.Size == now.Size
}

// sameThing reports that both are one entry of the file system, whatever became of its content.
func (e Entry) sameThing(now Entry) bool {
	if (e.ID == ID{}) || (now.ID == ID{}) {
		return e.alike(now)
	}
	return e.ID == now.ID && e.Type == now.Type
}

// sameNumber reports that both are names of one entry; false where numbers are not known.
func (e Entry) sameNumber(now Entry) bool {
	return e.ID != ID{} && e.ID == now.ID
}

// A Name is a path or a part of one: any bytes but NUL. As text it is itself where it is UTF-8, else between quotation
// marks with escapes, as Go writes it, so that journals hold every name exactly.
type Name string

// MarshalText is the name as text.
func (n Name) MarshalText() ([]byte, error) {
	s := string(n)
	if utf8.ValidString(s) && (s == "" || s[0] != '"') {
		return []byte(s), nil
	}
	return strconv.AppendQuote(nil, s), nil
}

// UnmarshalText is the inverse of MarshalText.
func (n *Name) UnmarshalText(text []byte) error {
	if len(text) == 0 || text[0] != '"' {
		*n = Name(text)
		return nil
	}
	s, err := strconv.Unquote(string(text))
	if err != nil {
		return fmt.Errorf("change: a name in a journal: %w", err)
	}
	*n = Name(s)
	return nil
}
