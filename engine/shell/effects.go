package shell

import (
	"net/url"
	"slices"
	"strings"
)

// effects notes what a command writes, runs and dials. Paths that it reads are noted where they are judged.
func (z *analyzer) effects(a args) {
	p := a.program()
	if a.guessed {
		return
	}
	if p == "" {
		p = "*"
	}
	z.effect(Exec, p)
	if w := z.t.writers[p]; w != nil {
		for _, target := range z.written(w, p, a) {
			z.write(target)
		}
	} else if strings.HasPrefix(p, "mkfs.") {
		z.write(a.words[len(a.words)-1])
	}
	z.netEffects(p, a)
}

func (z *analyzer) write(w word) {
	if why := z.writes(w); why != "" {
		z.catastrophe(w.pos, "%s", why)
	}
}

// written returns the words that name what a program changes.
func (z *analyzer) written(w *program, p string, a args) []word {
	list, options := splitOperands(w, a.words[1:])
	switch w.mode {
	case "all":
		if p == "gofmt" && !options["-w"] {
			return nil
		}
		return append(list, options.values("-t", "--target-directory")...)
	case "last":
		if v := options.values("-t", "--target-directory"); len(v) > 0 {
			return v
		}
		return list[max(len(list)-1, 0):]
	case "first":
		return list[:min(len(list), 1)]
	case "from2":
		return list[min(len(list), 1):]
	case "of=":
		return prefixed(list, "of=")
	case "-o":
		return valuesAfter(a.words, "-o", "--output")
	case "sed":
		if slices.ContainsFunc(a.texts, func(t string) bool { return strings.HasPrefix(t, "-i") || strings.HasPrefix(t, "--in-place") }) {
			return list[min(len(list), 1):]
		}
	}
	return nil
}

// optionSet holds the options that were seen; values are looked up in words.
type optionSet map[string]bool

// values is kept for -t DIR: splitOperands stores its word under the option's name.
func (o optionSet) values(names ...string) []word {
	var out []word
	for key := range o {
		for _, n := range names {
			if v, ok := strings.CutPrefix(key, n+"\x00"); ok {
				out = append(out, word{text: v, lead: v, static: true, known: true})
			}
		}
	}
	slices.SortFunc(out, func(a, b word) int { return strings.Compare(a.text, b.text) })
	return out
}

// splitOperands is lenient: it does not judge, it only finds what is not an option.
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
		if attached {
			seen[name+"\x00"+value] = true
		} else if p.options[t] == optValue && i+1 < len(ws) {
			i++
			seen[t+"\x00"+ws[i].text] = true
		}
	}
	return list, seen
}

func prefixed(list []word, prefix string) []word {
	var out []word
	for _, w := range list {
		if v, ok := strings.CutPrefix(w.text, prefix); ok {
			w.text = v
			out = append(out, w)
		}
	}
	return out
}

func valuesAfter(ws []word, short, long string) []word {
	var out []word
	for i, w := range ws {
		switch {
		case (w.text == short || w.text == long) && i+1 < len(ws):
			out = append(out, ws[i+1])
		case strings.HasPrefix(w.text, long+"="):
			w.text = w.text[len(long)+1:]
			out = append(out, w)
		case strings.HasPrefix(w.text, short) && len(w.text) > len(short) && !strings.HasPrefix(w.text, "--"):
			w.text = w.text[len(short):]
			out = append(out, w)
		}
	}
	return out
}

// netEffects notes the hosts that a network program names, or "*".
func (z *analyzer) netEffects(p string, a args) {
	sub := ""
	if len(a.texts) > 1 {
		sub = p + ":" + a.texts[1]
	}
	if !z.t.net[p] && !z.t.net[sub] {
		return
	}
	found := false
	for _, w := range a.words[1:] {
		if host := hostOf(p, w); host != "" {
			z.effect(Net, host)
			found = true
		}
	}
	if !found {
		z.effect(Net, "*")
	}
}

// hostOf reads the host out of a URL, user@host:path, or the plain name that these programs take.
func hostOf(p string, w word) string {
	if !w.static || strings.HasPrefix(w.text, "-") {
		return ""
	}
	if u, err := url.Parse(w.text); err == nil && u.Host != "" {
		return u.Hostname()
	}
	switch p {
	case "curl", "wget", "ping", "ping6", "nslookup", "host", "dig", "whois", "telnet", "nc", "ncat", "netcat", "traceroute":
		if host, _, _ := strings.Cut(w.text, "/"); strings.Contains(host, ".") && !strings.ContainsAny(host, "@= ") {
			return host
		}
	case "ssh", "scp", "sftp", "rsync":
		if user, host, ok := strings.Cut(w.text, "@"); ok && !strings.ContainsAny(user, "/:") {
			host, _, _ = strings.Cut(host, ":")
			return host
		}
	}
	return ""
}
