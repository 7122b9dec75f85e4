package tool

// A CommandLine is a command line as the tool that runs it understands it, for policies: they judge
// its commands one by one. The tool makes it in Prepare, from the very text that will run; a policy
// takes nobody else's word for it.
type CommandLine struct {
	// Text is the line, as it stands in the target of the Exec effect that this explains.
	Text string `json:"text"`

	// Decision is what the line deserves on its own: Allow, it only reads; Deny, it would destroy
	// the machine and never runs; Ask, everything else.
	Decision Decision `json:"decision"`
	Reason   string   `json:"reason,omitempty"` // of the decision, in words for a person; "" for the obvious

	// Commands are the simple commands, those too that others run: sudo, timeout, sh -c.
	Commands []SimpleCommand `json:"commands,omitempty"`

	// Whole says that nothing but Commands needs a decision: who allows each of them allows the
	// line. A redirection to a file, or a word that is computed at run time, makes it false.
	Whole bool `json:"whole,omitempty"`

	// Tried says that nothing in the line's words wants to change or send anything: it may run
	// unasked where it can do neither, and can read nothing private. A policy that allows it for
	// that says so in Verdict.Confined, and Job.Confine is called before Run.
	Tried bool `json:"tried,omitempty"`

	// Gap says in words which promise is not kept while the line runs, though it may change the
	// workspace: what it does is then asked about where only the mode would allow it. "": all are.
	Gap string `json:"gap,omitempty"`

	// Held says that what the line changes can be held back until somebody looked at it. A policy that allows it for
	// that says so in Verdict.Review, and Job.Review is called before Run.
	Held bool `json:"held,omitempty"`

	// Mentions are the words that may name files, written as targets of effects: rules that deny
	// reading such a file, or ask about it, hold for the line.
	Mentions []string `json:"mentions,omitempty"`
}

// A SimpleCommand is one command of a line: a program with its words.
type SimpleCommand struct {
	Words    []string `json:"words,omitempty"`   // after quote removal, the program first
	Program  string   `json:"program,omitempty"` // base name of the first word, "" if it is computed at run time
	Static   bool     `json:"static,omitempty"`  // all words are known before it runs
	Wrapped  bool     `json:"wrapped,omitempty"` // found behind another one
	ReadOnly bool     `json:"read_only,omitempty"`

	// Unread says that it may run any other command besides, which nobody knows before it runs: one that stands in what
	// it reads, or in a text that is computed. Rules that deny or ask about some command may mean that one.
	Unread bool `json:"unread,omitempty"`
}
