// Command proxy writes a checkout as a version of its module into a folder from which go get fetches, as GOPROXY=file://
// has it.
//
//	proxy -root FOLDER -to FOLDER VERSION
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

func main() {
	root := flag.String("root", ".", "the checkout")
	to := flag.String("to", "", "the folder of the proxy")
	flag.Parse()
	if err := run(*root, *to, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "proxy:", err)
		os.Exit(1)
	}
}

// run writes the three files of a version as a proxy serves them. The one that says it is there, .info, comes last.
func run(root, to string, args []string) error {
	if len(args) != 1 || to == "" {
		return errors.New("usage: proxy -root FOLDER -to FOLDER VERSION")
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	v := module.Version{Path: modfile.ModulePath(mod), Version: args[0]}
	if err := module.Check(v.Path, v.Version); err != nil {
		return err
	}
	folder, err := folderOf(to, v)
	if err != nil {
		return err
	}
	base := filepath.Join(folder, v.Version)
	if _, err := os.Stat(base + ".info"); err == nil {
		return fmt.Errorf("%s is there already, and a version never changes: take the next one", v)
	}
	info, err := json.Marshal(map[string]string{"Version": v.Version})
	if err != nil {
		return err
	}
	return errors.Join(
		pack(root, base+".zip", v),
		os.WriteFile(base+".mod", mod, 0o644),
		os.WriteFile(base+".info", info, 0o644),
		listed(filepath.Join(folder, "list"), v.Version),
	)
}

// folderOf makes the folder of a module's versions.
func folderOf(proxy string, v module.Version) (string, error) {
	path, err := module.EscapePath(v.Path)
	if err != nil {
		return "", err
	}
	folder := filepath.Join(proxy, filepath.FromSlash(path), "@v")
	return folder, os.MkdirAll(folder, 0o755)
}

// pack writes what belongs to the module: modules below it and what is no file are left out.
func pack(root, file string, v module.Version) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(zip.CreateFromDir(f, v, root), f.Close())
}

// listed adds a version to those that there are.
func listed(file, version string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, version)
	return errors.Join(err, f.Close())
}
