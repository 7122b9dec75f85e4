package toolsearch

import "strings"

// stop are words that say nothing about what a tool does.
var stop = set(`a an and are as at be been but by can could did do does for from had has have how i if in into is it its me my of off on or our out
please should so some than that the their them then there these this those to up us want was we were what when where which who will with would you your
tool tools using use used need let lets im id via about just also any all given`)

func set(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

// synonyms are groups of words that stand for each other; each line is one group.
var synonyms = group(`
delete remove erase drop discard trash
create make add new insert generate
list show enumerate display
get fetch retrieve obtain read lookup
search find query look locate
update edit modify change alter
run execute invoke
send post publish
folder directory
file document
repo repository
web internet online website
page site url
picture image photo screenshot
message chat
ticket issue bug
copy duplicate clone
move rename
open navigate visit
close shut
kill terminate stop end abort
command shell terminal
remember memory store save
`)

func group(lines string) map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(lines) {
		ws := strings.Fields(line)
		for _, w := range ws {
			for _, o := range ws {
				if o != w {
					out[stem(w)] = append(out[stem(w)], stem(o))
				}
			}
		}
	}
	return out
}

// chinese are the words of wishes with their English ones.
var chinese, longestChinese = dictionary(`
文件 file
`)

func dictionary(lines string) (map[string]string, int) {
	out, longest := map[string]string{}, 0
	for line := range strings.Lines(lines) {
		zh, en, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok {
			out[zh] = en
			longest = max(longest, len([]rune(zh)))
		}
	}
	return out, longest
}
