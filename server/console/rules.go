package console

import (
	"context"
	"net/http"
)

// Ruler shows the rules of the configuration, and writes, tries and removes them.
type Ruler interface {
	// Rules are those that count in the workspace, the highest layer first.
	Rules(ctx context.Context) ([]Rule, error)
	// AddRule writes a rule, and returns its file and what there is to say of it.
	AddRule(ctx context.Context, r NewRule) (Change, error)
	// TryRule says which of the newest calls on record a rule would decide otherwise. Nothing is written.
	TryRule(ctx context.Context, r NewRule) (RuleTrial, error)
	// RemoveRule takes a rule away, unless another one stands in its place now.
	RemoveRule(ctx context.Context, r Rule) error
	// LastRule puts a rule behind the others of its file, where it counts before them, unless another one stands in its
	// place now.
	LastRule(ctx context.Context, r Rule) error
}

// A Rule is one of the configuration.
type Rule struct {
	Number   int    `json:"number"` // from 1, over all layers
	Decision string `json:"decision"`
	Rule     string `json:"rule"`
	Layer    string `json:"layer"`
	File     string `json:"file,omitempty"` // "": flags, which cannot be removed here
	Line     int    `json:"line,omitempty"`
	Used     int    `json:"used"` // calls of this workspace on record that it decided
}

// A NewRule is one to be written.
type NewRule struct {
	Decision string `json:"decision"`        // allow, ask or deny
	Rule     string `json:"rule"`            // tool or tool:pattern
	Where    string `json:"where,omitempty"` // local, project or user; "": local
}

// A RuleTrial is what a rule would change.
type RuleTrial struct {
	Calls   int           `json:"calls"`  // that were looked at
	Untold  int           `json:"untold"` // of these, of which the record says too little
	Changed []ChangedCall `json:"changed"`
}

// A ChangedCall is one that a rule would decide otherwise.
type ChangedCall struct {
	Time  string `json:"time"` // RFC 3339
	Title string `json:"title"`
	Then  string `json:"then"`
	Now   string `json:"now"`
}

// rules are the requests about them.
func (p *Handler) rules(all map[string]http.HandlerFunc) {
	ruler, ok := p.o.Data.(Ruler)
	if !ok {
		return
	}
	all["GET rules"] = func(w http.ResponseWriter, q *http.Request) {
		v, err := ruler.Rules(q.Context())
		respond(w, v, err)
	}
	all["POST rule-add"] = func(w http.ResponseWriter, q *http.Request) {
		var in NewRule
		if read(w, q, maxBody, &in) {
			v, err := ruler.AddRule(q.Context(), in)
			respond(w, v, err)
		}
	}
	all["POST rule-try"] = func(w http.ResponseWriter, q *http.Request) {
		var in NewRule
		if read(w, q, maxBody, &in) {
			v, err := ruler.TryRule(q.Context(), in)
			respond(w, v, err)
		}
	}
	for name, change := range map[string]func(context.Context, Rule) error{"rule-remove": ruler.RemoveRule, "rule-last": ruler.LastRule} {
		all["POST "+name] = func(w http.ResponseWriter, q *http.Request) {
			var in Rule
			if read(w, q, maxBody, &in) {
				respond(w, struct{}{}, change(q.Context(), in))
			}
		}
	}
}
