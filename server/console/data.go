package console

import (
	"context"
	"encoding/json"
	"time"
)

// Data is what pages show beside calls and questions. Who can say more implements Explainer, Charter, Switcher,
// Sessions, Ender, Servers, Ruler, Historian, Reviewer or Player, too; what nobody says, pages do not show. Methods are
// safe for concurrent use. The texts of their errors are shown.
type Data interface {
	// Board is the tools as they are offered now.
	Board(ctx context.Context) (Board, error)
	// Audit is one page of the record of calls, newest first.
	Audit(ctx context.Context, q Query) (Page, error)
}

// A Board is the tools by their sources.
type Board struct {
	Dirs    []string `json:"dirs"`
	Mode    string   `json:"mode"`
	Becomes string   `json:"becomes"` // what becomes of calls in this mode, in a line
	Profile string   `json:"profile"`
	Sources []Source `json:"sources"`
	Tokens  int      `json:"tokens"` // that the list costs a model
}

// A Source is what brings tools.
type Source struct {
	Name    string    `json:"name"`
	Kind    string    `json:"kind"` // builtin, go, command or mcp
	Missing bool      `json:"missing,omitempty"`
	Error   string    `json:"error,omitempty"` // why it is missing
	Since   time.Time `json:"since,omitzero"`  // that it is there, or missing
	Tools   []Tool    `json:"tools"`
}

// A Tool is one of a board.
type Tool struct {
	Name    string `json:"name"`
	Short   string `json:"short"`
	Kind    string `json:"kind"`
	Offered bool   `json:"offered"`
	Listed  bool   `json:"listed"`
	Why     string `json:"why,omitempty"`    // it is not offered
	Locked  bool   `json:"locked,omitempty"` // by a layer above the user's own: a switch would change nothing
	Tokens  int    `json:"tokens"`           // that its declaration costs a model
	Calls   int    `json:"calls"`
	Failed  int    `json:"failed"`
	Refused int    `json:"refused"`
}

// A Query chooses records of calls. What is empty chooses all.
type Query struct {
	Text    string    // somewhere in name, title, targets, error, reason or rule
	Tool    string    // its name
	Outcome string    // ok, or the code of an error
	Verdict string    // allow, ask or deny
	Session string    // its ID
	Since   time.Time // inclusive
	Until   time.Time // exclusive
	Skip    int       // so many of the newest
	Limit   int       // at most so many, above 0
}

// A Page is a part of what a Query chooses.
type Page struct {
	Records []json.RawMessage `json:"records"` // as they are kept, see wrap.Record
	More    bool              `json:"more"`    // there are older ones
}

// An Explainer says who decides about a call.
type Explainer interface {
	// Why is the explanation of a call as helve why --json has it. args may be empty.
	Why(ctx context.Context, tool string, args json.RawMessage) (any, error)
}

// A Charter draws the record of calls.
type Charter interface {
	// Figures are counts and times between two moments, in parts of equal length.
	Figures(ctx context.Context, q FigureQuery) (Figures, error)
}

// A FigureQuery says what a chart is about.
type FigureQuery struct {
	Since, Until time.Time // the first inclusive, the other not
	Parts        int       // how many there are, above 0

	// Tool and Source choose the records of the charts; "": all. The tables below them are of all.
	Tool, Source string
}

// Figures are what charts are made of. Times are in milliseconds, without what approvers took.
type Figures struct {
	Since   time.Time     `json:"since"`
	Step    float64       `json:"step"` // seconds of a part
	Parts   []FigurePart  `json:"parts"`
	Tools   []FigureTool  `json:"tools"`  // most called first
	Errors  []FigureError `json:"errors"` // most frequent first
	Records int           `json:"records"`
	Chosen  int           `json:"chosen"` // of the records, those that Tool and Source chose
	Saved   FigureSaved   `json:"saved"`
	Partial bool          `json:"partial,omitempty"` // there are more records than are read for a chart

	// From is the time of the oldest record, where that is after Since: what was before is not kept, or not read.
	From time.Time `json:"from,omitzero"`
}

// FigureSaved are tokens that a model does not read, about four bytes each, and what the list of tools costs it.
type FigureSaved struct {
	Listed   int   `json:"listed"`   // that each conversation pays for the list now
	Deferred int   `json:"deferred"` // that it would pay besides for tools that are found by search
	Off      int   `json:"off"`      // and for those that are switched off
	Cut      int64 `json:"cut"`      // that results were cut by, in the time of the charts
}

// A FigurePart is what happened in one part of the time.
type FigurePart struct {
	Calls   int     `json:"calls"`
	Failed  int     `json:"failed"`
	Refused int     `json:"refused"`
	Asked   float64 `json:"asked"` // milliseconds that approvers took
	P50     float64 `json:"p50"`
	P90     float64 `json:"p90"`
	P99     float64 `json:"p99"`
}

// A FigureTool is one tool over all the time.
type FigureTool struct {
	Tool   string `json:"tool"`
	Source string `json:"source"`
	Bytes  int64  `json:"bytes"` // of results
	Cut    int64  `json:"cut"`   // bytes that results were cut by
	FigurePart
}

// A FigureError is how often something went wrong.
type FigureError struct {
	Tool string `json:"tool"`
	Code string `json:"code"`
	N    int    `json:"n"`
}

// A Switcher switches tools on and off in the user's configuration.
type Switcher interface {
	// Switch says what a switch would change, and with do makes it so. name is a tool.
	Switch(ctx context.Context, name string, on, do bool) (Change, error)
}

// A Change is a line of a configuration file that a switch sets.
type Change struct {
	File string `json:"file"`
	Line string `json:"line"`
	Done bool   `json:"done"`
	Note string `json:"note,omitempty"` // what is to be known of it
}

// Sessions show conversations, and what was approved in them.
type Sessions interface {
	Sessions(ctx context.Context) ([]Session, error)
	// Revoke takes an approval back. session is "" for one that holds for always.
	Revoke(ctx context.Context, session, grant string) error
}

// An Ender ends conversations with clients.
type Ender interface {
	End(ctx context.Context, session string) error
}

// A Session is a conversation with a client. The one without ID is what holds for always.
type Session struct {
	ID        string    `json:"id"`
	Principal string    `json:"principal,omitempty"`
	Client    string    `json:"client,omitempty"`
	Since     time.Time `json:"since,omitzero"`
	Last      time.Time `json:"last,omitzero"`
	Calls     int       `json:"calls"`
	Open      bool      `json:"open"` // it can be ended
	Grants    []Grant   `json:"grants"`
}

// A Grant is an approval that holds longer than once.
type Grant struct {
	ID    string    `json:"id"`
	Tool  string    `json:"tool"`
	Rule  string    `json:"rule"`
	Title string    `json:"title"`
	When  time.Time `json:"when"`
}

// A Player describes tools and calls them, under the rules that hold for everybody.
type Player interface {
	// Describe is the tool as its clients see it: {"name","description","input"}, with its declarations by provider.
	Describe(ctx context.Context, tool string) (any, error)
	// Call is a call of the person at the console: {"text","error","verdict","ms"}.
	Call(ctx context.Context, tool string, args json.RawMessage) (any, error)
}
