package helve_test

// full is what is over its bound, each with its figure. A figure may only fall, and what falls is written down here in the
// same change; nothing new comes in.
var full = []string{
	"wide-lines builtin/refactoring 2",
	"wide-lines builtin/internal/todo 2",
	"wide-lines cmd/helve 5",
	"wide-lines cmd/internal/clienthook 14",
	"wide-lines cmd/internal/replicatest 6",
	"wide-lines cmd/internal/setup 8",
	"wide-lines engine/sandbox/internal/proc 6",
	"wide-lines internal/job 4",
	"wide-lines internal/programs 3",
	"wide-lines internal/tempdir 3",
	"wide-lines internal/wire 2",
	"wide-lines script 11",
}
