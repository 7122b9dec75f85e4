package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

//go:embed formula
var formulaFiles embed.FS

// sums is the file of the checksums, which install.sh asks for by this name.
const sums = "checksums.txt"

// installer copies install.sh with the place of the downloads in it: whoever pipes it into a shell
// passes no variables.
func (r *release) installer() error {
	b, err := os.ReadFile(filepath.Join(r.root, "scripts", "install.sh"))
	if err != nil {
		return err
	}
	b = bytes.Replace(b, []byte("\nbase=\n"), []byte("\nbase="+shellWord(r.place.Downloads)+"\n"), 1)
	b = bytes.Replace(b, []byte("\nversion=\n"), []byte("\nversion="+r.version+"\n"), 1)
	return r.writeBytes("install.sh", b)
}

// writeBytes is writeFile for what is made already.
func (r *release) writeBytes(name string, b []byte) error {
	return r.writeFile(name, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// shellWord quotes a word for a POSIX shell.
func shellWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// formulas writes what Homebrew, Scoop and the AUR read. They name addresses, so there are none
// without a place.
func (r *release) formulas() error {
	if r.place.Downloads == "" {
		fmt.Println("formulas     none: release.toml names no downloads")
		return nil
	}
	data := map[string]any{
		"Version":    r.version,
		"Summary":    summary,
		"Home":       r.place.Repository,
		"Downloads":  strings.TrimSuffix(r.place.Downloads, "/"),
		"Maintainer": r.place.Maintainer,
	}
	// Each of the three checks what it downloads against a sum that stands in its own file.
	for _, t := range r.targets {
		ending := ".tar.gz"
		if t.os == "windows" {
			ending = ".zip"
		}
		sum, err := sha256File(filepath.Join(r.out, r.archiveName(t)+ending))
		if err != nil {
			return err
		}
		data["Sum_"+t.os+"_"+t.arch] = sum
	}
	names, err := fs.Glob(formulaFiles, "formula/*.tmpl")
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := r.formula(name, data); err != nil {
			return err
		}
	}
	return nil
}

// formula fills in one template. A target that was not built has no sum: that is an error, for a
// formula without one would install whatever comes.
func (r *release) formula(name string, data map[string]any) error {
	base := filepath.Base(name)
	tmpl, err := template.New(base).Option("missingkey=error").ParseFS(formulaFiles, name)
	if err != nil {
		return err
	}
	return r.writeFile(strings.TrimSuffix(base, ".tmpl"), func(w io.Writer) error {
		return tmpl.Execute(w, data)
	})
}

// checksums writes the SHA-256 of every file as sha256sum checks them.
func (r *release) checksums() error {
	files, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	// The image is a folder, whose parts name each other by their sums.
	var b strings.Builder
	for _, f := range files {
		if f.IsDir() || f.Name() == sums {
			continue
		}
		sum, err := sha256File(filepath.Join(r.out, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum, f.Name())
	}
	return r.writeBytes(sums, []byte(b.String()))
}

// sha256File reads a file in pieces: images and programs are tens of megabytes.
func sha256File(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// signature signs the checksums, and through them every file. Without a key there is none.
func (r *release) signature(file string) error {
	if file == "" {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return fmt.Errorf("%s holds no PEM block", file)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return err
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return errors.New("want an ed25519 key: openssl genpkey -algorithm ed25519")
	}
	// What was written is signed, not what was meant to be.
	list, err := os.ReadFile(filepath.Join(r.out, sums))
	if err != nil {
		return err
	}
	signed := base64.StdEncoding.EncodeToString(ed25519.Sign(key, list)) + "\n"
	return r.writeBytes(sums+".sig", []byte(signed))
}
