package history

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"helve/cmd/internal/command"
	"helve/internal/workspace"
)

func auditVerifyCommand(c *command.Line) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Find out whether the record of calls is as it was written",
		Long: `Find out whether the record of calls is as it was written: each record has the SHA-256 of the line
before it ("prev"), and a small file says which was the last. The first line that does not fit is named,
with what may have happened to it; further ones are counted.

Whoever may write the files may also make a record that fits. Keep the digest that is printed in another
place, and a later record that does not hold it is not the same.`,
		Example: `  helve audit verify
  helve audit verify --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return auditVerify(c.Streams(), asJSON)
		},
	}
	command.JSONFlag(cmd, &asJSON)
	return cmd
}

// A recordProof is what verify found, as JSON.
type recordProof struct {
	Whole     bool          `json:"whole"`
	Lines     int           `json:"lines"`
	Unchained int           `json:"unchained"` // of lines, from before they were chained
	Last      string        `json:"last"`      // SHA-256 of the last line; "": there is none
	Breaks    []recordBreak `json:"breaks"`    // the oldest first, 100 at most
}

type recordBreak struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"` // from 1; 0: the file as a whole
	Reason string `json:"reason"`
}

func proofOf(p *workspace.RecordProof) recordProof {
	out := recordProof{
		Whole:     len(p.Breaks) == 0,
		Lines:     p.Lines,
		Unchained: p.Unchained,
		Last:      p.Last,
		Breaks:    []recordBreak{}, // JSON says [] and not null
	}
	for _, b := range p.Breaks {
		out.Breaks = append(out.Breaks, recordBreak(b))
	}
	return out
}

// auditVerify prints what the record proves. One that is not whole is a failure.
func auditVerify(s command.Streams, asJSON bool) error {
	found, err := s.Records().Verify()
	if err != nil {
		return command.Failed(err)
	}
	p := proofOf(found)
	switch {
	case asJSON:
		err = s.PrintJSON(p)
	case p.Whole:
		err = s.Print(p.String())
	}
	if err != nil || p.Whole {
		return err
	}
	return command.Failed(fmt.Errorf("audit: %s", p.String()))
}

// String is the proof in words.
func (p recordProof) String() string {
	if !p.Whole {
		b := p.Breaks[0]
		at := filepath.ToSlash(b.File)
		if b.Line > 0 {
			at = fmt.Sprintf("%s:%d", at, b.Line)
		}
		text := at + ": " + b.Reason
		if n := len(p.Breaks) - 1; n > 0 {
			text += fmt.Sprintf("\nhint: and %d more that do not fit: helve audit verify --json", n)
		}
		return text
	}
	if p.Lines == 0 {
		return "no call is recorded"
	}
	text := fmt.Sprintf("%d calls are as they were written; the last is %s", p.Lines, p.Last)
	if p.Unchained > 0 {
		text += fmt.Sprintf("\nof %d, from before records were chained, nothing can be told", p.Unchained)
	}
	return text
}
