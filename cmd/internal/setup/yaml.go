package setup

import "errors"

// A yamlForm is a file of YAML with a list of servers. It is not written: nothing that is at hand
// changes YAML and keeps what people wrote.
type yamlForm struct{ key string }

// ErrByHand: the file has a form that is not written here; the lines of Client.Snippet are for a
// person to put there.
var ErrByHand = errors.New("helve does not write YAML: put the lines of `--print` there by hand")

func (yamlForm) set([]byte, Line) ([]byte, error) { return nil, ErrByHand }
func (yamlForm) unset([]byte) ([]byte, error)     { return nil, ErrByHand }

func (yamlForm) words([]byte) []string { return nil }

func (f yamlForm) snippet(l Line) string {
	// A list of JSON is a list of YAML.
	return f.key + ":\n  - name: " + Name + "\n    command: " + text(l.Command) + "\n    args: " + text(l.Args) + "\n"
}
