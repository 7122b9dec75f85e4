package policy

import (
	"fmt"
	"strings"
)

// An Act is what an effect of a call is to the modes. Rules and switches speak before them.
type Act uint8

// The acts.
const (
	Looks         Act = iota // reads the workspace, or runs a command that can only look
	ReadsSecret              // reads a file that may hold secrets
	Remembers                // changes what a tool remembers: todo lists
	Changes                  // a tool for files, or somebody else's, changes the workspace
	ChangesSecret            // changes a file that may hold secrets
	Steers                   // changes what another program or a model runs or follows
	RunsHeld                 // runs a command whose changes can be held back
	RunsOpen                 // runs a command whose changes cannot be held back
	LeavesSteer              // a command leaves what another program or a model runs or follows
	LeavesNew                // a command leaves a hidden name that nothing is known of, or a text for models
	Reaches                  // uses the network by a tool that is for it
	RunsReaching             // runs a command that uses the network
	GoesOut                  // reads something outside the workspace
	ChangesOut               // changes something outside the workspace, or nobody knows where and nothing holds it back
	acts
)

// A Becoming is what becomes of an act in a mode. The later, the less freedom.
type Becoming uint8

// What becomes of an act.
const (
	Runs           Becoming = iota
	Waits                   // what it did is shown to a person at once, or waits for one: helve review
	AsksBeforeKept          // it runs, and a person sees what it did before that is kept
	AsksIfChanged           // a person is asked before it runs, unless it would change nothing
	AsksBefore              // a person is asked before it runs
	Refused
)

var becomingNames = [...]string{
	"runs", "waits", "asks before it is kept", "asks before, if it changes something", "asks before", "refused",
}

func (b Becoming) String() string {
	if int(b) < len(becomingNames) {
		return becomingNames[b]
	}
	return fmt.Sprintf("becoming(%d)", b)
}

// A modesTable is what becomes of each act, by mode: plan, ask, review, auto. All that is decided or said of modes is
// made of one.
type modesTable [acts][4]Becoming

// modeTable is the one that counts. Of a call no later mode says a stricter word than an earlier one. What a command
// leaves is none of its effects and shows when it ran, in mode ask after a yes to the command itself.
var modeTable = modesTable{
	Looks:         {Runs, Runs, Runs, Runs},
	ReadsSecret:   {AsksBefore, AsksBefore, AsksBefore, AsksBefore},
	Remembers:     {Runs, Runs, Runs, Runs},
	Changes:       {Refused, AsksBefore, AsksIfChanged, Runs},
	ChangesSecret: {Refused, AsksBefore, AsksBefore, AsksBefore},
	Steers:        {Refused, AsksBefore, AsksIfChanged, AsksIfChanged},
	RunsHeld:      {Refused, AsksBefore, AsksBeforeKept, Runs},
	RunsOpen:      {Refused, AsksBefore, AsksBefore, AsksBefore},
	LeavesSteer:   {Refused, AsksBeforeKept, AsksBeforeKept, Waits},
	LeavesNew:     {Refused, Runs, AsksBeforeKept, Waits},
	Reaches:       {AsksBefore, AsksBefore, AsksBefore, AsksBefore},
	RunsReaching:  {Refused, AsksBefore, AsksBefore, AsksBefore},
	GoesOut:       {AsksBefore, AsksBefore, AsksBefore, AsksBefore},
	ChangesOut:    {Refused, AsksBefore, AsksBefore, AsksBefore},
}

var actNames = [acts]string{
	Looks:         "reading the workspace; a command that only looks (read-only, without network)",
	ReadsSecret:   "reading a file that may hold secrets; a command that names one",
	Remembers:     "changing what a tool remembers (todo lists)",
	Changes:       "changing a file of the workspace with a tool for files, or by somebody else's tool",
	ChangesSecret: "changing a file that may hold secrets",
	Steers:        "changing with a tool for files what another program or a model would run or follow",
	RunsHeld:      "a command that may change something, where its changes can be held back",
	RunsOpen:      "a command that may change something, where they cannot",
	LeavesSteer:   "what a command leaves that another program would run or follow",
	LeavesNew:     "a new hidden name, or a text for models, that a command leaves",
	Reaches:       "using the network by a tool that is for it",
	RunsReaching:  "a command that uses the network",
	GoesOut:       "a command that reads something outside the workspace (tools for files never do)",
	ChangesOut:    "a command that changes something outside the workspace, or nobody knows where and it cannot be held back",
}

func (a Act) String() string {
	if a < acts {
		return actNames[a]
	}
	return fmt.Sprintf("act(%d)", a)
}

// Becomes is what becomes of an act in a mode. A mode that does not exist is the careful one.
func (m Mode) Becomes(a Act) Becoming { return modeTable.becomes(m, a) }

func (t *modesTable) becomes(m Mode, a Act) Becoming {
	switch {
	case a >= acts:
		return Refused
	case m.plans():
		return t[a][Plan]
	}
	return t[a][m]
}

// drafted is becomes for what changes a draft and not the workspace: where every change is asked about before it is
// made, the one question about what the draft holds takes the place of those about each.
func (t *modesTable) drafted(m Mode, a Act) (b Becoming, deferred bool) {
	b = t.becomes(m, a)
	held := a == Changes || a == Steers || a == RunsHeld
	if held && b.asksFirst() && t.becomes(m, Changes).asksFirst() {
		return AsksBeforeKept, true
	}
	return b, false
}

// asksFirst tells that a person is asked before anything runs.
func (b Becoming) asksFirst() bool { return b == AsksBefore || b == AsksIfChanged }

// refuses tells that a mode refuses anything: most do not.
func (t *modesTable) refuses(m Mode) bool {
	for a := range acts {
		if t.becomes(m, a) == Refused {
			return true
		}
	}
	return false
}

// refusal is why an act is refused in a mode.
func (m Mode) refusal(a Act) string { return fmt.Sprintf("%s mode refuses %s", m, a) }

// modes is the table by which the rules decide.
func (o *Options) modes() *modesTable {
	if o.table == nil {
		return &modeTable
	}
	return o.table
}

// Modes are all of them, the strictest first.
func Modes() []Mode { return []Mode{Plan, AskFirst, Review, Auto} }

// Acts are all of them, in the order of the table.
func Acts() []Act {
	out := make([]Act, acts)
	for i := range out {
		out[i] = Act(i)
	}
	return out
}

// Answers are who may say yes where an act is asked about so, in words.
func (b Becoming) Answers() []string {
	switch b {
	case AsksBefore, AsksIfChanged:
		return []string{
			"a person who sees the question, at the terminal, in the client or at the console",
			"an earlier yes that was to be remembered",
			"`--yes`, said by whoever started helve",
			"the client's own prompt, where the client is known to ask",
		}
	case AsksBeforeKept:
		return []string{
			"a person who sees what was changed, at the terminal, in the client or at the console: once, for exactly that",
		}
	case Waits:
		return []string{
			"a person who sees what was changed, where one can be asked",
			"a person with `helve review`, within seven days",
		}
	}
	return nil
}

// Tables are the table of the modes and that of who may answer, as Markdown.
func Tables() string { return modeTable.markdown() }

func (t *modesTable) markdown() string {
	var b strings.Builder
	b.WriteString("| what a call does, without a rule |")
	for _, m := range Modes() {
		fmt.Fprintf(&b, " %s |", m)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(Modes())) + "\n")
	for _, a := range Acts() {
		fmt.Fprintf(&b, "| %s |", a)
		for _, m := range Modes() {
			fmt.Fprintf(&b, " %s |", t.becomes(m, a))
		}
		b.WriteByte('\n')
	}
	b.WriteString("\n| it | who may say yes |\n|---|---|\n")
	for _, k := range []Becoming{AsksBefore, AsksIfChanged, AsksBeforeKept, Waits} {
		fmt.Fprintf(&b, "| %s | %s |\n", k, strings.Join(k.Answers(), "; "))
	}
	return b.String()
}

// Summary says in a line what a mode is, for whoever is to choose one.
func (m Mode) Summary() string { return modeTable.summary(m) }

func (t *modesTable) summary(m Mode) string {
	return fmt.Sprintf("changes of files: %s; commands: %s; what they leave for others to run: %s; network: %s",
		t.becomes(m, Changes), t.becomes(m, RunsHeld), t.becomes(m, LeavesSteer), t.becomes(m, Reaches))
}
