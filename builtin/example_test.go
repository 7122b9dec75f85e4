package builtin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"helve/builtin"
	"helve/policy"
	"helve/tool"
)

// The built-in tools of a folder, under a policy. Nobody can be asked here, so that what needs a yes is refused. Package
// helve does all this under the configuration of a person.
func Example() {
	dir, err := os.MkdirTemp("", "helve-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\n"), 0o644); err != nil {
		log.Fatal(err)
	}

	w, err := builtin.Open(builtin.Options{Dirs: []string{dir}})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	var reg tool.Registry
	if err := reg.Add(builtin.All(w)...); err != nil {
		log.Fatal(err)
	}
	kit := reg.Kit(tool.KitOptions{Policy: policy.AskFirst})
	for _, c := range []tool.Call{
		{Name: "grep", Args: json.RawMessage(`{"pattern":"t.o"}`)},
		{Name: "write", Args: json.RawMessage(`{"file_path":"a.txt","contents":""}`)},
	} {
		res, err := kit.Call(context.Background(), &c)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(res.Text())
	}
	// Output:
	// a.txt:2:two
	// Error: write: needs approval, and nobody can be asked.
	// changing files needs approval
}

// A session knows what it has read: an agent does not change what it has not seen.
func ExampleEdit() {
	dir, err := os.MkdirTemp("", "helve-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\n"), 0o644); err != nil {
		log.Fatal(err)
	}
	w, err := builtin.Open(builtin.Options{Dirs: []string{dir}})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	var reg tool.Registry
	if err := reg.Add(builtin.Read(w), builtin.Edit(w)); err != nil {
		log.Fatal(err)
	}
	kit := reg.Kit(tool.KitOptions{Policy: policy.Auto})
	session := &tool.Session{}
	defer session.Close()
	edit := json.RawMessage(`{"file_path":"a.txt","old_string":"two","new_string":"three"}`)
	for _, c := range []tool.Call{
		{Name: "edit", Args: edit, Session: session},
		{Name: "read", Args: json.RawMessage(`{"file_path":"a.txt"}`), Session: session},
		{Name: "edit", Args: edit, Session: session},
	} {
		res, err := kit.Call(context.Background(), &c)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(res.Text())
	}
	// Output:
	// Error: edit: a.txt has not been read in this session.
	// Read it first: nobody can safely change what they have not seen.
	//      1|one
	//      2|two
	// Successfully edited a.txt (1 replacement)
}

func ExampleSteering() {
	fmt.Println(builtin.Steering("", "docs/config"))
	fmt.Println(builtin.Steering("", "sub/.git/config"))
	// Output:
	// <nil>
	// protected: .git/config steers what other programs run; a person has to change it
}
