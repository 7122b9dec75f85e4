package toolsearch

import "strings"

// stop are words that say nothing about what a tool does.
var stop = set(`a an and are as at be been but by can could did do does for from had has have how i if in into is it its me my of off on or our out
please should so some than that the their them then there these this those to us was we were what when where which who will with would you your
tool tools using use used let lets im via also just any given say said says somebody else ever how everything anything up want know`)

func set(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

// synonyms are what a word of a query may be called in a description. The first kind of line is a group whose words all stand for each
// other; the second, with an arrow, goes one way: people say the left, descriptions the right.
var synonyms = thesaurus(`
delete remove erase drop discard
create make add new insert generate
list show enumerate display view
get fetch retrieve obtain read
search find query lookup locate
update edit modify change alter replace
run execute invoke
send post publish
folder directory
picture image photo
ticket issue bug
copy duplicate clone
move rename
navigate visit
kill terminate stop abort
shell terminal console bash
remark comment
price cost

document -> file page
documents -> files
doc -> documentation
docs -> documentation library
text -> content
content -> contents
inside -> content contents read
see -> get list read
look -> search get
save -> write create
store -> write create
load -> read
open -> navigate
download -> get scrape crawl fetch
upload -> push
disk -> file directory filesystem
place -> directory location
places -> directories
touch -> allowed access change
permitted -> allowed
modified -> metadata info
permission -> metadata info
size -> sizes
space -> size
name -> title
several -> multiple
many -> multiple
overview -> tree structure
repo -> repository
repos -> repositories
project -> repository
pr -> pull request
prs -> pull request
mr -> merge request
pull -> request
ci -> status check
checks -> status
pass -> status
accept -> merge
approve -> review
approved -> review
close -> update state
open -> state
label -> update
reply -> comment thread
answer -> reply thread
answers -> replies thread
history -> commits list log
past -> history
function -> code
source -> code repository
account -> user profile
developer -> user
person -> user entity entities
people -> users entities
colleague -> user profile
contact -> profile
member -> user
team -> channel message
tell -> message send post
notify -> message monitor
alert -> monitor dialog
chat -> slack channel message
room -> channel
rooms -> channels
conversation -> thread channel history
discussion -> thread
message -> post
post -> message
emoji -> reaction
thumbs -> reaction
like -> reaction
own -> fork
fork -> copy
line -> branch
development -> branch
base -> branch
propose -> create
review -> request
internet -> web search
online -> web search
web -> page
site -> page website url
website -> page url
news -> web search
restaurant -> local business places
restaurants -> local businesses places
near -> local location
nearby -> local location
shop -> place business
address -> geocode location
latitude -> coordinates geocode
longitude -> coordinates geocode
coordinates -> geocode location
drive -> directions route
route -> directions
travel -> distance directions time
far -> distance
high -> elevation
height -> elevation
altitude -> elevation
sea -> elevation
level -> elevation
hours -> details
phone -> details
https -> url navigate
http -> request url network
com -> url
www -> url
press -> click key
button -> click
hit -> press key
key -> keyboard
enter -> type fill text
input -> type fill form
inputs -> form fields fill
field -> form
registration -> form
complete -> fill
form -> fill
attach -> upload
attachment -> upload file
screenshot -> capture image
capture -> screenshot
errors -> console messages
error -> console messages
log -> console logs messages
javascript -> js evaluate
js -> javascript evaluate
calls -> requests
call -> request
traffic -> network requests
tab -> tabs
previous -> back
return -> get
mouse -> hover click
cursor -> hover
menu -> element
dropdown -> select option
choose -> select
pick -> select
entry -> option
pause -> wait
until -> wait
appear -> wait
popup -> dialog
box -> dialog
window -> resize
smaller -> resize
larger -> resize
url -> page
entire -> all
whole -> all
finished -> status
done -> status
progress -> status
job -> status
watch -> monitor
watching -> monitor
changes -> monitor
article -> paper
articles -> papers
scientific -> research papers
science -> research papers
academic -> research papers
publication -> paper
published -> papers related
similar -> related
subject -> related
pdf -> document file parse
convert -> parse transform
turn -> convert parse
structured -> json schema extract
pull -> extract
remember -> create add memory
forget -> delete memory entities
memory -> knowledge graph
fact -> observation
facts -> observations
note -> observation
notes -> observations
link -> relation
connect -> relation
connected -> relations
knowledge -> graph memory
dump -> read
database -> sql table
table -> database sql data source
tables -> database sql
rows -> query sql
row -> query
sql -> query
problem -> thinking
reflect -> thinking thoughts
think -> thinking
steps -> thinking sequential step
reason -> thinking
library -> documentation package
package -> library
identifier -> id
numbers -> sum
add -> sum
calculate -> sum
environment -> env
variable -> env
variables -> env
compress -> gzip zip
archive -> zip gzip
slow -> long running
while -> long
wiki -> page notion
paragraph -> block
paragraphs -> blocks children
append -> children patch
access -> users allowed
below -> parent children
another -> parent
file -> files
filename -> file search
tree -> structure
undo -> back
weather -> forecast
mail -> email message
email -> mail message
meeting -> calendar event
schedule -> calendar event
task -> todo issue
todo -> task
process -> processes
stop -> kill
image -> media
audio -> media
video -> media
song -> audio media
`)

func thesaurus(lines string) map[string][]string {
	out := map[string][]string{}
	put := func(from, to string) {
		from, to = stem(from), stem(to)
		if from != to {
			out[from] = append(out[from], to)
		}
	}
	for line := range strings.Lines(lines) {
		left, right, oneWay := strings.Cut(line, "->")
		from, to := strings.Fields(left), strings.Fields(right)
		if !oneWay {
			to = from
		}
		for _, w := range from {
			for _, o := range to {
				put(w, o)
			}
		}
	}
	return out
}
