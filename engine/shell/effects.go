package shell

import (
	"net/url"
	"path"
	"slices"
	"sort"
	"strings"
)

// effects notes what commands write, run and dial. Paths that they read are noted where they are judged.
type effects struct {
	t      *tables
	access access
}

// of notes the effects of a command. A guessed one may be no command at all, and has none.
func (f effects) of(a args) {
	p := a.program()
	if a.guessed {
		return
	}
	if p == "" {
		p = "*"
	}
	f.access.effect(Exec, p)
	w := f.t.writers[p]
	switch {
	case w != nil:
		for _, target := range written(w, p, a) {
			f.access.write(target)
		}
	case strings.HasPrefix(p, "mkfs."):
		f.access.write(a.words[len(a.words)-1])
	}
	f.repositories(p, a)
	f.dials(p, a)
}

// changesFiles reports that a program is asked to, which only prints otherwise.
func changesFiles(mode, p string, texts []string, options optionSet) bool {
	switch {
	case p == "gofmt":
		return options["-w"]
	case mode == "sed":
		return anyBegins(texts, "-i") || anyBegins(texts, "--in-place")
	}
	return true
}

// written returns the words that name what a program changes, as far as the table knows it.
func written(w *program, p string, a args) []word {
	list, options := splitOperands(w, a.words[1:])
	if !changesFiles(w.mode, p, a.texts, options) {
		return nil
	}
	into := options.values("-t", "--target-directory")
	switch w.mode {
	case "all": // rm a b
		return append(list, into...)
	case "last": // cp a b dir, cp -t dir a b
		if len(into) > 0 {
			return into
		}
		return list[max(len(list)-1, 0):]
	case "first":
		return list[:min(len(list), 1)]
	case "from2": // the first one is a mode or an owner: chmod 600 a b
		return list[min(len(list), 1):]
	case "of=": // dd of=a
		return prefixed(list, "of=")
	case "-o": // sort -o a b
		return valuesAfter(a.words, "-o", "--output")
	case "sed": // the first operand is the script
		return list[min(len(list), 1):]
	}
	return nil
}

// optionSet holds the options that were seen; values are looked up in words.
type optionSet map[string]bool

// values is kept for -t DIR: splitOperands stores its word under the option's name.
func (o optionSet) values(names ...string) []word {
	var out []word
	for key := range o {
		name, v, ok := strings.Cut(key, "\x00")
		if ok && slices.Contains(names, name) {
			out = append(out, word{text: v, lead: v, static: true, known: true})
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].text < out[j].text })
	return out
}

// splitOperands is lenient: it does not judge, it only finds what is not an option. Where it takes the value of an
// unknown option for an operand, one effect too many is shown.
func splitOperands(p *program, ws []word) ([]word, optionSet) {
	var list []word
	seen := optionSet{}
	for i := 0; i < len(ws); i++ {
		t := ws[i].text
		if t == "--" {
			return append(list, ws[i+1:]...), seen
		}
		if len(t) < 2 || t[0] != '-' {
			list = append(list, ws[i])
			continue
		}
		name, value, attached := strings.Cut(t, "=")
		seen[t] = true
		switch {
		case attached:
			seen[name+"\x00"+value] = true
		case p.option(t) == optValue && i+1 < len(ws):
			i++
			seen[t+"\x00"+ws[i].text] = true
		}
	}
	return list, seen
}

// prefixed are the words that begin so, without it: of=FILE.
func prefixed(list []word, prefix string) []word {
	var out []word
	for _, w := range list {
		v, ok := strings.CutPrefix(w.text, prefix)
		if ok {
			w.text = v
			out = append(out, w)
		}
	}
	return out
}

// valuesAfter are the values of an option: -o FILE, -oFILE, --output FILE, --output=FILE.
func valuesAfter(ws []word, short, long string) []word {
	var out []word
	for i, w := range ws {
		letters := !strings.HasPrefix(w.text, "--")
		attached, isShort := strings.CutPrefix(w.text, short)
		valued, isLong := strings.CutPrefix(w.text, long+"=")
		switch {
		case (w.text == short || w.text == long) && i+1 < len(ws):
			out = append(out, ws[i+1])
		case isLong:
			w.text = valued
			out = append(out, w)
		case isShort && letters && attached != "":
			w.text = attached
			out = append(out, w)
		}
	}
	return out
}

// hostOf reads the host out of a URL, user@host:path, or the plain name that these programs take.
func hostOf(p string, w word) string {
	if !w.static || option(w.text) {
		return ""
	}
	u, err := url.Parse(w.text)
	if err == nil && u.Host != "" {
		return u.Hostname()
	}
	switch p {
	case "curl", "wget", "ping", "ping6", "nslookup", "host", "dig", "whois",
		"telnet", "nc", "ncat", "netcat", "traceroute":
		host, _, _ := strings.Cut(w.text, "/")
		if strings.Contains(host, ".") && !strings.ContainsAny(host, "@= ") {
			return host
		}
	case "ssh", "scp", "sftp", "rsync":
		user, host, ok := strings.Cut(w.text, "@")
		if ok && !strings.ContainsAny(user, "/:") {
			host, _, _ = strings.Cut(host, ":")
			return host
		}
	}
	return ""
}

// repositories notes a repository that a command takes away without its name among the words: by a pattern, or as
// something that find comes upon. It is written then as by any other command that names it.
func (f effects) repositories(p string, a args) {
	switch {
	case p == "find" && findDeletes(a):
		f.foundRepositories(a)
	case p == "rm" && recursive(a.texts), p == "mv", trashes(p, a):
		for _, w := range a.words[1:] {
			if w.known && meansGit(path.Base(w.text)) {
				w.text = path.Join(path.Dir(w.text), git)
				f.access.write(w)
			}
		}
	}
}

// Programs that remove whole folders and are no writers of the table, since what their options do is not known, and
// what runs such a program from a registry.
var (
	trashPrograms = strings.Fields("rimraf trash trash-put del srm del-cli trash-cli")
	trashRunners  = strings.Fields("npx bunx npm pnpm yarn")
)

// trashes reports such a program, by itself or behind the first words of what runs it.
func trashes(p string, a args) bool {
	is := func(t string) bool { return slices.Contains(trashPrograms, t) }
	first := a.texts[:min(4, len(a.texts))]
	return is(p) || slices.Contains(trashRunners, p) && slices.ContainsFunc(first, is)
}

// dials notes the hosts that a network program names, or "*". git is one with some of its subcommands only.
func (f effects) dials(p string, a args) {
	sub := ""
	if len(a.texts) > 1 {
		sub = p + ":" + a.texts[1]
	}
	if !f.t.net[p] && !f.t.net[sub] {
		return
	}
	found := false
	for _, w := range a.words[1:] {
		host := hostOf(p, w)
		if host != "" {
			f.access.effect(Net, host)
			found = true
		}
	}
	if !found {
		f.access.effect(Net, "*")
	}
}

// foundRepositories notes those that find takes away: it is asked for them, starts in them, or takes all that a root
// of the workspace holds.
func (f effects) foundRepositories(a args) {
	asked, others := findsGit(a.texts)
	isRoot := func(p string) bool { return slices.Contains(f.access.at.roots, p) }
	for _, w := range findStarts(a) {
		switch inside := path.Base(path.Clean(w.text)) == git; {
		case inside && !others:
		case asked, !others && slices.ContainsFunc(f.access.at.resolve(w.text), isRoot):
			w.text = path.Join(w.text, git)
		default:
			continue
		}
		f.access.write(w)
	}
}
