package refactoring_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"helve/builtin"
	"helve/builtin/refactoring"
	"helve/codetool"
	"helve/tool"
)

// A function is renamed where it is defined and where it is used.
func Example() {
	home, err := os.MkdirTemp("", "helve-example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(home)
	dir, state := filepath.Join(home, "shop"), filepath.Join(home, "state") // a change of several files is kept there
	if err := os.Mkdir(dir, 0o700); err != nil {
		panic(err)
	}
	for name, text := range map[string]string{
		"go.mod": "module shop\n",
		"a.go":   "package shop\n\nfunc price() int { return 10 }\n",
		"b.go":   "package shop\n\nvar total = 2 * price()\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			panic(err)
		}
	}
	box, err := builtin.Open(builtin.Options{Dirs: []string{dir}, State: state})
	if err != nil {
		panic(err)
	}
	defer box.Close()
	index, err := codetool.Open(codetool.Options{Dir: dir})
	if err != nil {
		panic(err)
	}
	defer index.Close()

	reg := &tool.Registry{}
	if err := reg.Add(refactoring.Tools(box, index.Snapshot)...); err != nil {
		panic(err)
	}
	yes := func(context.Context, *tool.Question) (tool.Answer, error) { return tool.Answer{Yes: true}, nil }
	res, err := reg.Kit(tool.KitOptions{Ask: yes}).Call(context.Background(), &tool.Call{
		Name: "rename_symbol", Args: []byte(`{"name":"price","new_name":"unitPrice"}`), Session: &tool.Session{ID: "1"},
	})
	if err != nil || res.Err != nil {
		panic(fmt.Sprint(err, res.Err))
	}
	text, err := os.ReadFile(filepath.Join(dir, "b.go"))
	if err != nil {
		panic(err)
	}
	fmt.Print(string(text))
	// Output:
	// package shop
	//
	// var total = 2 * unitPrice()
}
