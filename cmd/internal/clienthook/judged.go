package clienthook

import "helve/internal/workspace"

// A judged is a call with the verdict on it.
type judged struct {
	act     Act
	call    workspace.ForeignCall
	verdict workspace.ForeignVerdict // the strictest of its parts
	dir     string                   // where its commands run
	away    string                   // why its folder is none of the workspace's; ""
	lines   []string                 // the command lines, without a helve exec around them

	client  said   // what the client's own rules say of the lines
	through bool   // one of them allows helve exec, whatever it runs
	left    string // why the lines run as they are, where helve could confine others; ""
	handed  bool   // helve exec puts the call on record
	said    bool   // a person said yes to helve's own question
}
