package neighbours

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// patience is how long what ends may take for it.
	patience = 10 * time.Second
	// listSlack is by how much a list may take longer with absent servers than twice the time without: the machine is
	// busy with other things. Without the mend it is ten seconds.
	listSlack = 3 * time.Second
	// fewTools is less than the built-in tools and those of the servers that are well.
	fewTools = 12
)

// ask asks what must hold after every round.
func (w *world) ask() {
	w.Helper()
	w.listed()
	w.kept()
	w.once()
	w.leftOver(w.tree())
	for _, h := range w.helves {
		if h.serving() {
			began := time.Now()
			if o := h.called("read", `{"file_path":"needle.txt"}`); !o.ok && !strings.Contains(o.text, "worker") {
				w.broke("answers", "%s cannot read, after %v: %s\n%s", h.name, time.Since(began), o.text, h.said())
			}
		}
	}
	w.git("status", "--porcelain")
}

// listed asks whether a helve starts and lists, on the command line and for a client that comes, in good time.
func (w *world) listed() {
	w.Helper()
	control := []string{"--config", filepath.Join(w.top, "home/.config/helve/control.json")}
	for _, way := range []string{"list", "client"} {
		var text string
		for range 2 { // a second time if it took long: the machine may have been busy
			usual, err := w.lists(way, control)
			took, err2 := w.lists(way, nil)
			if err != nil || err2 != nil {
				w.broke("starts", "%s: %v, %v", way, err, err2)
				text = ""
				break
			}
			w.tell("%s: %v, without absent servers %v", way, took.Round(time.Millisecond), usual.Round(time.Millisecond))
			if took <= 2*usual+listSlack {
				text = ""
				break
			}
			text = fmt.Sprintf("%s: %v, and %v without absent servers", way, took, usual)
		}
		if text != "" {
			w.broke("listed in time", "%s", text)
		}
	}
}

func (w *world) lists(way string, config []string) (took time.Duration, err error) {
	if way == "client" {
		tools, took, err := w.stdio(answerBound, config...)
		if err == nil && tools < fewTools {
			err = fmt.Errorf("%d tools", tools)
		}
		return took, err
	}
	p := w.command(append([]string{"list"}, config...)...)
	status, took := p.run(answerBound)
	if tools := strings.Count(p.out.String(), "\n"); status != 0 || tools < fewTools {
		err = fmt.Errorf("status %d, %d tools: %s", status, tools, p.err.String())
	}
	return took, err
}

// kept asks whether everything is there that a person or an acknowledged call wrote.
func (w *world) kept() {
	w.Helper()
	for name, want := range w.files {
		if name == "shared.txt" {
			continue
		}
		if b, err := os.ReadFile(w.path(name)); err != nil || string(b) != want {
			w.broke("kept", "%s: %q, %v; want %q", name, b, err, want)
		}
	}
	b, err := os.ReadFile(w.path("shared.txt"))
	for _, line := range w.lines {
		if err != nil || !slices.Contains(strings.Split(string(b), "\n"), line) {
			w.broke("kept", "shared.txt has lost %q, %v:\n%s", line, err, b)
		}
	}
}

// once asks whether what was acknowledged ran once, and nothing twice.
func (w *world) once() {
	w.Helper()
	b, err := os.ReadFile(filepath.Join(w.log, "marks"))
	w.must(err)
	times := map[string]int{}
	for mark := range strings.FieldsSeq(string(b)) {
		times[mark]++
	}
	for _, mark := range slices.Sorted(maps.Keys(w.done)) {
		if n := times[mark]; n > 1 || n == 0 && w.done[mark] {
			w.broke("once", "%s ran %d times, acknowledged: %v", mark, n, w.done[mark])
		}
	}
}

// A process is one of the world.
type process struct {
	pid, parent int
	state       string
	line        string
}

// processes are all that there are: the namespace is the world's own.
func processes() []process {
	var out []process
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(dir)) // the pattern has numbers alone
		stat, err := os.ReadFile(dir + "/stat")
		line, _ := os.ReadFile(dir + "/cmdline")
		if err != nil {
			continue // it has ended
		}
		f := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		parent, _ := strconv.Atoi(f[1]) // the kernel wrote it
		out = append(out, process{pid, parent, f[0], strings.ReplaceAll(string(line), "\x00", " ")})
	}
	return out
}

// leftOver asks for processes of nobody, mounts, and names in the workspace that nobody made.
func (w *world) leftOver(names func() []string) {
	w.Helper()
	for _, look := range []func() []string{w.orphans, w.mounts, names} {
		left := look()
		for end := time.Now().Add(patience); len(left) > 0 && time.Now().Before(end); left = look() {
			time.Sleep(100 * time.Millisecond)
		}
		if len(left) > 0 {
			w.broke("left over", "%s", strings.Join(left, "\n"))
		}
	}
}

// orphans are the processes that no living helve started.
func (w *world) orphans() []string {
	mine := map[int]bool{}
	for _, h := range w.helves {
		if h.alive() {
			mine[h.Process.Pid] = true
		}
	}
	var out []string
	all := processes()
	for range all { // as deep as it can be
		for _, p := range all {
			mine[p.pid] = mine[p.pid] || mine[p.parent]
		}
	}
	for _, p := range all {
		switch {
		case p.pid == 1 || mine[p.pid]:
		case p.state == "Z" && p.parent == 1:
			syscall.Wait4(p.pid, nil, syscall.WNOHANG, nil) // it came to this process as the first of its namespace
		default:
			out = append(out, fmt.Sprintf("process %d of %d, %s: %.200s", p.pid, p.parent, p.state, p.line))
		}
	}
	return out
}

// mounts are those below the world's own.
func (w *world) mounts() []string {
	b, err := os.ReadFile("/proc/self/mounts")
	w.must(err)
	var out []string
	for line := range strings.Lines(string(b)) {
		if strings.Contains(line, w.top+"/") {
			out = append(out, line)
		}
	}
	return out
}

// tree finds the names in the workspace that nobody made.
func (w *world) tree() func() []string {
	return func() []string {
		var out []string
		err := filepath.WalkDir(w.ws, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name, _ := filepath.Rel(w.ws, path) // it is below
			switch {
			case name == ".git":
				return fs.SkipDir
			case name == "." || name == "made" || w.files[name] != "" || w.maybe[name] && e.Type().IsRegular():
				return nil
			}
			out = append(out, fmt.Sprintf("in the workspace: %s %v", name, e.Type()))
			return nil
		})
		if err != nil {
			out = append(out, err.Error())
		}
		return out
	}
}

// end ends everybody: nothing is left, and what a last call leaves of temporary folders is nothing.
func (w *world) end() {
	w.Helper()
	for _, h := range slices.Backward(w.helves) {
		h.stop(stopBound)
	}
	w.helves = nil
	p := w.command("call", "bash", "command=true")
	if status, _ := p.run(answerBound); status != 0 {
		w.broke("starts", "the last call: %d: %s", status, p.said())
	}
	w.leftOver(func() []string {
		left, _ := filepath.Glob(filepath.Join(w.top, "tmp/*")) // the pattern is right
		return append(left, w.tree()()...)
	})
}
