package shell

import (
	"helve/internal/names"
	"regexp"
	"slices"
	"strings"
)

var (
	// sedActs are the commands and flags of sed that write a file or run a program.
	sedActs = lazily(`(^|^--expression=|[;{}$/0-9])\s*[wWe]\s+\S|/[gpiIm0-9]*[we](\s|$)`)
	// awkWrites are the words of awk that write a file or run a program.
	awkWrites = lazily(`system|getline|exec\(|\|\s*"|print[^;}]*>|(tee|emit\w*|dump)\s*>`)
	// tarLetters are options of one letter each; the first word of tar needs no dash.
	tarLetters = lazily(`^-?[a-zA-Z]+$`)
	// tarActs are the beginnings of tar's options that write, or run a program: it takes them cut short.
	tarActs = lazily(`^--(ext|get|cr|app|up|delet|remove-|to-c|use|checkpoint-|inf|new-v|rs|rm|ind|con|cat)`)
	// sqlLooks are statements of SQL and commands of its shell that only read.
	sqlLooks = lazily(`(?is)^\s*(select|explain|pragma\s+\w+\s*;?\s*$|pragma\s+\w*(info|list|check)\s*\(|` +
		`with\b[^;]*\bselect|\.(schema|tables|indexes|databases|headers|mode|dump)\b)[^;]*;?\s*$`)
	// sqlActs are functions of SQL that write a file, or run a program.
	sqlActs = lazily(`(?i)writefile|load_extension|\bedit\s*\(|into\s+(out|dump)file|pg_read|lo_export|\b(copy|` +
		`insert|update|delete|drop|alter|create|attach|detach|vacuum|reindex)\b|\breplace\s+into`)
	// codeActs are words in a line of some language that change, start or send something. What else does is stopped.
	codeActs = lazily(`(?i)write|append(file|sync)|put_contents|\brm\w*\(|unlink|remove|rmtree|rmdir|rename|delete|` +
		`mkdir|makedirs|chmod|chown|symlink|` +
		`truncate|touch|system|popen|subprocess|spawn|exec|passthru|fork|socket|urllib|urlopen|requests\.|https?[.:]|` +
		`fetch|connect|smtp|ftp|` +
		`mail\(|shutil|kill|copy\(|(,\s*|open\(\s*)["'][rb+]*[wax][tb+]*["']|["']\s*(\+<|\+?>|\|)|mode\s*=|unpack|` +
		`extractall|save|to_csv|` +
		`install|ctypes|savefig|qx\W|%x\W|require_relative|\b(cp|mv|run|sink)\(|download|\bfile\s*=|\bload\b\s|` +
		`include\b|runpy|import_module|` + "`")
)

// tarLooks reports tar that lists an archive, or writes a file of it to its output.
func tarLooks(words []string) bool {
	lists, prints := hasAnyWord(words, []string{"--list"}), hasAnyWord(words, []string{"--to-stdout"})
	for i, w := range words {
		if tarActs().MatchString(w) {
			return false
		}
		if !tarLetters().MatchString(w) || i > 0 && w[0] != '-' {
			continue
		}
		if strings.ContainsAny(w, "cruAIF") {
			return false
		}
		lists = lists || strings.Contains(w, "t")
		prints = prints || strings.Contains(w, "O")
	}
	extracts := slices.ContainsFunc(words, func(w string) bool {
		return tarLetters().MatchString(w) && strings.Contains(w, "x")
	})
	return prints || lists && !extracts
}

// onlyQueries reports sqlite3 with a database and statements that only read.
func onlyQueries(words []string) bool {
	var operands []string
	lines := 0 // that options have it run
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case slices.Contains(sqlValues, w):
			i++
		case slices.Contains(sqlLines, w):
			if i++; i == len(words) || actsOn(words[i]) {
				return false
			}
			lines++
		case !strings.HasPrefix(w, "-"):
			operands = append(operands, w)
		}
	}
	if len(operands) < 2 && lines == 0 { // it would read statements from its input
		return false
	}
	return !slices.ContainsFunc(operands[min(1, len(operands)):], actsOn)
}

// actsOn reports a statement that does more than read.
func actsOn(w string) bool { return !sqlLooks().MatchString(w) || sqlActs().MatchString(w) }

// sqlLines are options of sqlite3 and duckdb behind which stands a statement.
var sqlLines = []string{"-cmd", "-c", "-s"}

// sqlValues are options of sqlite3 that take a value.
var sqlValues = []string{"-separator", "-newline", "-nullvalue", "-maxsize", "-mmap", "-vfs"}

// codeModules are modules of Python that are run for what they print.
var codeModules = names.List("json.tool site sysconfig platform this tokenize ast dis calendar tabnanny pyclbr symtable " +
	"pickletools locale mimetypes")

// toolModules are modules of Python that are programs, too: what is said of those holds for them.
var toolModules = names.List("pip pydoc black ruff isort flake8 pylint mypy pyflakes pycodestyle pydocstyle bandit radon vulture " +
	"yapf autopep8 autoflake pipdeptree coverage")

// inlineOptions are the options behind which stands a program, for each language.
var inlineOptions = map[string]func() *regexp.Regexp{
	"python":  lazily(`^-[bBdEiIOqsSuvx]*c$`),
	"node":    lazily(`^(-e|-p|-pe|--eval|--print)$`),
	"perl":    lazily(`^-[acnpwlsTtW0-9]*[eE]$`),
	"ruby":    lazily(`^-[acnplsWw0-9]*e$`),
	"php":     lazily(`^-[nq]?[rBRE]$`),
	"R":       lazily(`^-e$`),
	"Rscript": lazily(`^-e$`),
	"julia":   lazily(`^(-e|-E|--eval|--print)$`),
	"lua":     lazily(`^-e$`),
	"luajit":  lazily(`^-e$`),
}

// otherCode are options that have an interpreter run something else, before or instead of what stands on the line.
var otherCode = lazily(`^(--?r(equire)?|--?import|--(experimental-)?loader|--env-file.*|-d|-z|-c|-I.*|-C.*|-x.*|` +
	`-X|-M.*[/.( ].*|-m.*[/.( ].*|-[Mm]-?lib\b.*|` +
	`-r[./].*|--require=.*|--import=.*|--(experimental-)?loader=.*|--run|--test|--watch|-i|-S)$`)

// checksSyntax are options that have an interpreter read a file and not run it.
var checksSyntax = map[string][]string{
	"node": {"-c", "--check", "--v8-options", "-h"},
	"ruby": {"-c", "-wc", "-cw"},
	"perl": {"-c", "-wc", "-cw", "-V*"},
	"php":  {"-l", "-m", "-i", "-h", "--ini", "--ri", "--rf", "--rc", "--re", "--rz"},
}

// language is what an interpreter reads.
func language(program string) string {
	program = strings.TrimRight(program, "0123456789.")
	if program == "nodejs" {
		return "node"
	}
	return program
}

// onlyComputes reports an interpreter with a program among its words that says nothing of changing, starting or
// sending. A file, or what it reads, may say anything.
func onlyComputes(program string, words []string) bool {
	lang := language(program)
	inline := inlineOptions[lang]
	if inline == nil {
		return false
	}
	if len(words) > 0 && hasAnyWord(words[:1], checksSyntax[lang]) {
		return true
	}
	for i, w := range words {
		rest := words[i+1:]
		switch {
		case w == "-m" && lang == "python":
			return moduleLooks(rest)
		case inline().MatchString(w):
			return len(rest) > 0 && !codeActs().MatchString(rest[0])
		case !strings.HasPrefix(w, "-") || otherCode().MatchString(w):
			return false
		}
	}
	return false
}

// moduleLooks is python -m: some modules only print, and some are programs of the table.
func moduleLooks(words []string) bool {
	if len(words) == 0 {
		return false
	}
	name, rest := words[0], words[1:]
	switch {
	case codeModules.Has(name):
		return !plainOperands(rest, 1) // a second one would be written
	case name == "zipfile" || name == "tarfile":
		return len(rest) > 0 && (rest[0] == "-l" || rest[0] == "--list" || rest[0] == "-t")
	case !toolModules.Has(name):
		return false
	case len(rest) == 1 && slices.Contains([]string{"--version", "-V", "--help", "-h"}, rest[0]):
		return true
	}
	for n := min(len(rest), maxSubcommands); n >= 0; n-- {
		t, ok := trialOf(strings.Join(append([]string{name}, rest[:n]...), " "))
		if ok {
			return t.allows(name, rest[n:])
		}
	}
	return false
}

// shellReads are the options of a shell that have it read a script and not run it, or run the one behind them.
var shellReads = lazily(`^-[abefhlnuvx]*[cn]$|^--noexec$`)

// shellLooks reports a shell that checks a script, or one whose script stands among the words and was judged there.
func shellLooks(words []string) bool {
	for _, w := range words {
		switch {
		case shellReads().MatchString(w):
			return true
		case !strings.HasPrefix(w, "-"):
			return false
		}
	}
	return false
}
