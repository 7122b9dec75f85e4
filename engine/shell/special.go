package shell

import (
	"slices"
	"strings"
)

// judgeSpecial judges operands that are a language of their own. Each judge allows what is known to do nothing and asks
// about the rest: it need not understand the language.
func (j *judge) judgeSpecial(mode string, ops operands) string {
	switch mode {
	case "date":
		return judgeDate(ops.list)
	case "sed":
		return j.judgeSed(ops)
	case "awk":
		return j.judgeAwk(ops)
	case "jq":
		return j.judgeJQ(ops)
	}
	return "operands are not understood"
}

// judgeDate: any other operand than a format sets the clock.
func judgeDate(list []word) string {
	for _, w := range list {
		if !strings.HasPrefix(w.lead, "+") || w.split {
			return "only a +FORMAT is known to be harmless"
		}
	}
	return ""
}

// sedHarmless are the sed commands that only select, delete, number and substitute. The commands e, r, R, w, W and
// the flags e and w of s execute, read and write.
var sedHarmless = lazily(`^(` + sedAddress + `(,(` + sedAddress + `|\+[0-9]+|~[0-9]+))?!?\s*)?` +
	`([pdqQ=lhHgGxnND]|` +
	`s/([^/\\\n]|\\.)*/([^/\\\n]|\\.)*/` + sedFlags + `|` +
	`s\|([^|\\\n]|\\.)*\|([^|\\\n]|\\.)*\|` + sedFlags + `|` +
	`s#([^#\\\n]|\\.)*#([^#\\\n]|\\.)*#` + sedFlags + `)$`)

const (
	sedAddress = `([0-9]+|\$|/([^/\\\n]|\\.)*/I?)`
	sedFlags   = `[gpiI0-9]*`
)

// maxSedScript bounds the text given to the regular expression.
const maxSedScript = 2000

// judgeSed allows scripts of harmless commands. A semicolon inside of a pattern splits it wrongly, and the halves are
// asked about.
func (j *judge) judgeSed(ops operands) string {
	files := ops.list
	scripts := append(ops.values["-e"], ops.values["--expression"]...)
	if len(scripts) == 0 && len(files) > 0 {
		scripts = files[:1]
		files = files[1:]
	}
	for _, s := range scripts { // each -e adds to the script
		if !s.fixed() || len(s.text) > maxSedScript {
			return "a script that is not understood"
		}
		for part := range strings.SplitSeq(s.text, ";") {
			if !sedHarmless().MatchString(strings.TrimSpace(part)) {
				return "a script that may execute or write"
			}
		}
	}
	return j.access.allReadable(files)
}

// judgeAwk allows programs that cannot start, write or load anything: without pipes, redirections and the words for
// them.
func (j *judge) judgeAwk(ops operands) string {
	if len(ops.list) == 0 {
		return "a program is missing"
	}
	prog := ops.list[0]
	if !prog.fixed() {
		return "the program is computed at run time"
	}
	if why := awkActs(prog.text); why != "" {
		return "a program that may execute, write or read elsewhere: " + why
	}
	return j.access.allReadable(ops.list[1:])
}

// awkActs finds what starts, writes or loads in an awk program. Before the first print, > compares; without getline,
// < does.
func awkActs(text string) string {
	for _, word := range []string{"@", "system", "getline", "close", "fflush", "ARGV", "ARGC", "ENVIRON", "PROCINFO"} {
		if strings.Contains(text, word) {
			return word
		}
	}
	withoutOr := strings.ReplaceAll(text, "||", "")
	if strings.Contains(withoutOr, "|") {
		return "|"
	}
	_, printed, _ := strings.Cut(text, "print")
	if strings.Contains(printed, ">") {
		return ">"
	}
	return ""
}

// tarLists are the letters of tar that list an archive: t, with v, the usual compressions, and f last.
var tarLists = lazily(`^-?[vzjJa]*t[vzjJa]*f$`)

// judgeTar allows listing. Options come in any place and some of them run programs, so there must be no others; GNU tar
// takes a colon for a host, and runs a remote shell.
func (j *judge) judgeTar(ws []word) string {
	if len(ws) < 2 || !ws[0].static || !tarLists().MatchString(ws[0].text) {
		return "tar: only listing an archive (tar -tf) is known to be harmless"
	}
	for _, w := range ws[1:] {
		computed := !w.static && !w.glob
		if computed || strings.HasPrefix(w.lead, "-") || w.lead == "" {
			return "tar: a word that may be an option"
		}
		if strings.Contains(w.text, ":") {
			return "tar: an archive on another machine"
		}
	}
	return j.access.allReadable(ws[1:])
}

// readNames are the variables that read may set: those of a script, by which no program is steered.
var readNames = lazily(`^[a-z][a-z0-9_]*$`)

// judgeRead allows variables of the script's own, and forgets what was known of them.
func (j *judge) judgeRead(ws []word) string {
	for i, w := range ws {
		delimiter := i > 0 && ws[i-1].text == "-d"
		switch {
		case !w.fixed():
			return "read: a variable that is computed at run time"
		case delimiter:
		case w.text == "-r" || w.text == "-s" || w.text == "-d":
		case !readNames().MatchString(w.text):
			return "read: sets " + w.text
		default: // what is read is not known
			j.vars.forget(w.text)
		}
	}
	return ""
}

// judgeJQ allows filters that load nothing: the language has no words that write files or start programs.
func (j *judge) judgeJQ(ops operands) string {
	if len(ops.list) == 0 { // it fails, or formats what it reads
		return ""
	}
	filter := ops.list[0]
	loads := strings.Contains(filter.text, "import") || strings.Contains(filter.text, "include")
	if !filter.fixed() || loads {
		return "a filter that is computed or loads modules"
	}
	return j.access.allReadable(ops.list[1:])
}

// printfAssigns finds %n, by which bash's printf sets a variable.
var printfAssigns = lazily(`%[^%a-zA-Z]*[hlLqjzt]*n`)

// judgePrintf looks at the format alone: the words behind it are only printed, whatever they are.
func judgePrintf(ws []word) string {
	if len(ws) > 0 && ws[0].static && ws[0].text == "--" {
		ws = ws[1:]
	}
	if len(ws) == 0 || !ws[0].fixed() {
		return "printf: the format is computed at run time"
	}
	if strings.HasPrefix(ws[0].text, "-") || printfAssigns().MatchString(ws[0].text) {
		return "printf: can set a variable"
	}
	return ""
}

// The operators of test that look at files and strings only. -v and -R evaluate subscripts, and so do the numeric ones.
var (
	testUnary = strings.Fields("-a -b -c -d -e -f -g -h -k -p -r -s -t -u -w -x -G -L -N -O -S " +
		"-z -n !")
	testBinary = []string{"=", "==", "!=", "<", ">", "-nt", "-ot", "-ef"}
	testNumber = []string{"-eq", "-ne", "-lt", "-le", "-gt", "-ge"}
)

// judgeTest allows what cannot become an operator that evaluates: test sees words only after they were expanded.
func judgeTest(ws []word) string {
	last := len(ws) - 1
	if last >= 0 && ws[last].static && ws[last].text == "]" {
		ws = ws[:last]
	}
	for i, w := range ws {
		switch {
		case w.split || w.glob:
			return "test: an unquoted word may become an operator"
		case !w.static && !testPlaceSafe(ws, i):
			return "test: a computed word may become an operator"
		case w.static && evaluatesOperand(ws, w.text):
			return "test: " + w.text + " evaluates its operand"
		case slices.Contains(testNumber, w.text) && !betweenIntegers(ws, i):
			return "test: " + w.text + " evaluates its operands"
		}
	}
	return ""
}

// evaluatesOperand reports -v and -R, and -o where it asks for an option of the shell and does not mean or.
func evaluatesOperand(ws []word, operator string) bool {
	switch operator {
	case "-v", "-R":
		return true
	case "-o":
		return len(ws) == 2
	}
	return false
}

// betweenIntegers reports an operator with plain numbers on both sides: they are evaluated, and are what they seem.
func betweenIntegers(ws []word, i int) bool {
	return i > 0 && i+1 < len(ws) && integer(ws[i-1]) && integer(ws[i+1])
}

// testPlaceSafe reports that test takes word i for an operand, whatever its value.
func testPlaceSafe(ws []word, i int) bool {
	switch len(ws) {
	case 1:
		return true
	case 2:
		return i == 1 && ws[0].static && slices.Contains(testUnary, ws[0].text)
	case 3:
		return i != 1 && ws[1].static && slices.Contains(testBinary, ws[1].text)
	}
	return false
}

// integer reports a whole number, with a sign or without.
func integer(w word) bool { return w.static && numeric(strings.TrimPrefix(w.text, "-")) }

// The tests and actions of find that look and print. -exec, -delete, -fprint and -fls do more.
var (
	findFlags = strings.Fields("-empty -not ! -a -and -o -or ( ) , -print -print0 -ls -prune -depth -d " +
		"-true -false -readable -writable -executable -quit -daystart -follow -xdev -mount -noleaf " +
		"-nouser -nogroup -L -H -P -ignore_readdir_race")
	findValues = strings.Fields("-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype " +
		"-type -xtype -size -mtime -mmin -atime -amin -ctime -cmin -maxdepth -mindepth -perm -user -group " +
		"-uid -gid -links -inum -printf -fstype -lname -ilname")
)

// judgeFind allows tests and printing. A word that is none of these and begins with no dash is where find starts.
func (j *judge) judgeFind(ws []word) string {
	for i := 0; i < len(ws); i++ {
		w := ws[i]
		switch {
		case !w.fixed():
			return "find: a word that is computed at run time"
		case slices.Contains(findValues, w.text):
			i++
			if i < len(ws) && (ws[i].split || ws[i].glob) {
				return "find: quote the value of " + w.text
			}
		case slices.Contains(findFlags, w.text):
		case strings.HasPrefix(w.text, "-"):
			return "find: " + w.text + " is not known to be harmless"
		default:
			why := j.access.readable(w)
			if why != "" {
				return "find: " + why
			}
		}
	}
	return ""
}
