// Package wire is what a gateway and its workers say to each other: the messages, the frames of a run, and the subjects
// that they are sent to. It knows no broker.
//
// A gateway asks a worker to prepare and to preview calls, which changes nothing, and to run one that was judged. Of
// a run the worker sends frames to the gateway that asked. One that changes something begins only when the gateway
// said so: what did not begin for the gateway never begins, and can safely be run elsewhere.
package wire

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Version is that of all subjects: who speaks another one is not heard.
const Version = "v1"

const prefix = "helve." + Version + "."

// Who is where everybody asks which workers there are; each worker answers with a Member.
const Who = prefix + "who"

// Here is where the workers of a pool tell that they live, each with a Member.
func Here(pool string) string { return prefix + "here." + Hash(pool) }

// Worker is where one worker listens; verb is one of the verbs, or > for all of them.
func Worker(instance, verb string) string { return prefix + "w." + instance + "." + verb }

// Gateway is where one gateway listens; tail is > for all, VerbPing, or of a run: see RunTail.
func Gateway(gateway, tail string) string { return prefix + "g." + gateway + "." + tail }

// Replica is where one of several replicas listens for the others; verb is VerbRun, VerbCancel, or > for all of them.
func Replica(replica, verb string) string { return prefix + "r." + replica + "." + verb }

// RunTail is the tail of a gateway's subject for the frames of one run.
func RunTail(run string) string { return "r." + run }

// RunOf is the run that a subject of a gateway is about; "": none.
func RunOf(subject string) string {
	_, run, _ := strings.Cut(subject, ".r.")
	return run
}

// VerbOf is the last word of a subject.
func VerbOf(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }

// The verbs of a worker.
const (
	VerbPrepare = "prepare" // Request → Job
	VerbPreview = "preview" // Request → Preview
	VerbSpecs   = "specs"   // nothing → Definitions
	VerbTools   = "tools"   // ToolsFrom → Tools
	VerbRun     = "run"     // Run → frames
	VerbGo      = "go"      // Begin: the gateway says whether a run may begin
	VerbCancel  = "cancel"  // RunID
	VerbAnswer  = "answer"  // AnswerTo
	VerbAgain   = "again"   // RunID → the pieces of the result once more
	VerbPing    = "ping"    // RunID → State; of a gateway: nothing → nothing
	VerbClose   = "close"   // Session: it is over
	VerbDrain   = "drain"   // nothing → nothing
)

// NewID is a name that nobody else has: of an instance, a gateway, a run. It is one word of a subject.
func NewID() string { return strings.ToLower(rand.Text()) }

// NewInstance is the name of a worker, which no other has. key is the public nkey by which a server knows it, so that
// rules of the server can say where it may listen; "": it has none.
func NewInstance(key string) string {
	if key == "" {
		return NewID()
	}
	return NewID() + "." + key
}

// ValidInstance tells whether a name from outside can be a worker's.
func ValidInstance(name string) bool {
	id, key, keyed := strings.Cut(name, ".")
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	return ValidID(id) && (!keyed || key != "" && len(key) <= idLength && strings.Trim(key, letters) == "")
}

// idLength is how long an ID of another may be, in bytes.
const idLength = 64

// ValidID tells whether a name from outside can be a word of a subject.
func ValidID(id string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	return id != "" && len(id) <= idLength && strings.Trim(id, letters) == ""
}

// Hash is a name from outside as a word of a subject.
func Hash(name string) string {
	h := sha256.Sum256([]byte(name))
	return hex.EncodeToString(h[:8])
}
