package builtin_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"helve/builtin"
	"helve/tool"
)

var undoSessions = flag.Int("undo-sessions", 3, "how many sessions TestEveryStateOfASessionComesBack plays")

// pictureOf is a tree as it can be compared: contents, modes, links, and times. Those of git's own folders
// do not come back, nor that of the workspace's folder where it alone is another one.
func pictureOf(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		if err != nil || at == root {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, at)
		switch {
		case d.IsDir() && strings.HasPrefix(rel, ".git"):
			out[rel] = info.Mode().String()
		case d.IsDir():
			out[rel] = fmt.Sprintf("%v %d", info.Mode(), info.ModTime().UnixNano())
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(at)
			out[rel] = fmt.Sprintf("-> %s %d", to, info.ModTime().UnixNano())
			return err
		default:
			text, err := os.ReadFile(at)
			out[rel] = fmt.Sprintf("%v %d %s", info.Mode(), info.ModTime().UnixNano(), text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// randomCall is one call of an agent, whatever it does; it may fail.
func randomCall(r *rand.Rand) (name string, in args) {
	file := func() string {
		return []string{"", "d/", "d/e/", "x/"}[r.IntN(4)] + string(rune('a'+r.IntN(4)))
	}
	text := func() string { return fmt.Sprintf("one %d\ntwo\nthree %d\n", r.IntN(9), r.IntN(9)) }
	commands := []func() string{
		func() string { return "rm -rf d" },
		func() string { return "rm -f " + file() },
		func() string { return "mv " + file() + " " + file() },
		func() string { return "mkdir -p d/e x && mv d/e x/" + strconv.Itoa(r.IntN(3)) },
		func() string { return "chmod " + []string{"600", "755", "444"}[r.IntN(3)] + " " + file() },
		func() string { return "ln -sfn " + file() + " link" + strconv.Itoa(r.IntN(2)) },
		func() string { return "mkdir -p d/e x; echo " + text() + " >>" + file() },
		func() string { return "touch -d @" + strconv.Itoa(r.IntN(1000)) + " " + file() },
		func() string {
			return "git init -q . 2>/dev/null; git add . && git -c user.name=a -c user.email=a@b commit -qm x"
		},
		func() string { return "echo more >>" + file() + "; git checkout -q ." },
		func() string { return "git stash -q; git checkout -q -b b" + strconv.Itoa(r.IntN(100)) },
	}
	switch k := r.IntN(10); {
	case k < 3:
		return "write", args{"file_path": file(), "contents": text()}
	case k < 4:
		return "edit", args{"file_path": file(), "old_string": "two", "new_string": "2 " + strconv.Itoa(r.IntN(100))}
	case k < 5:
		edits := []args{{"old_string": "one", "new_string": "1"}, {"old_string": "three", "new_string": "3"}}
		return "multi_edit", args{"file_path": file(), "edits": edits}
	}
	return "bash", args{"command": commands[r.IntN(len(commands))]()}
}

// Whatever edits, writes and commands did, each state that there was comes back, byte for byte, with modes, links and
// times. git's objects stay, and its index knows the new times of files.
func TestEveryStateOfASessionComesBack(t *testing.T) {
	for n := range *undoSessions {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			r := rand.New(rand.NewPCG(11, uint64(n)))
			o := writing()
			o.State, o.History = t.TempDir(), builtin.History{On: true}
			h := open(t, o)
			needLayer(t, h)
			past := &tool.Registry{}
			if err := past.Add(builtin.PastByPerson(h.ws)...); err != nil {
				t.Fatal(err)
			}
			back := &fixture{t: t, dir: h.dir, ws: h.ws, kit: past.Kit(tool.KitOptions{Policy: allowAll{}})}
			var ids []string
			states := []map[string]string{pictureOf(t, h.dir)}
			for range 12 {
				name, in := randomCall(r)
				var meta struct{ Undo string }
				res := h.call(name, in)
				if err := json.Unmarshal(res.Meta, &meta); err != nil || meta.Undo == "" {
					continue // it failed, or changed nothing
				}
				ids = append(ids, meta.Undo)
				states = append(states, pictureOf(t, h.dir))
			}
			for range 4 {
				to := r.IntN(len(ids))
				res := back.call("undo", args{"to": ids[to]})
				if res.Err != nil && to < len(ids)-1 {
					t.Fatalf("back to %d: %s", to, res.Text())
				}
				if diff := cmp.Diff(plainTree(states[to+1]), plainTree(pictureOf(t, h.dir))); diff != "" {
					t.Fatalf("back to %d: -want +got\n%s", to, diff)
				}
			}
		})
	}
}

// plainTree is a picture without what git's store keeps beyond an undo.
func plainTree(p map[string]string) map[string]string {
	out := map[string]string{}
	for name, is := range p {
		git, _ := filepath.Match(".git/*", name)
		index := git && filepath.Base(name) == "index"
		if objects, _ := filepath.Rel(".git/objects", name); objects != "" && objects[0] != '.' || index {
			continue
		}
		out[name] = is
	}
	return out
}
