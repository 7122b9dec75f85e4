package console

import (
	"context"
	"net/http"
	"strconv"
)

// Reviewer shows what commands left waiting for a person, and has it made or dropped. Sets are meant by their IDs,
// files of a set by their numbers, the first of which is 0: a page may show another path than it was told.
type Reviewer interface {
	// Review are the sets that wait, the newest first.
	Review(ctx context.Context) (Review, error)
	// ReviewFiles are files of a set with their differences, from number skip on.
	ReviewFiles(ctx context.Context, id string, skip int) (ReviewFiles, error)
	// ReviewApply makes files of a set and what is in them, nil all, but for what somebody changed since.
	ReviewApply(ctx context.Context, id string, files []int) (Reviewed, error)
	// ReviewDrop has nobody make them any more.
	ReviewDrop(ctx context.Context, id string, files []int) (Reviewed, error)
}

// A Review is what waits.
type Review struct {
	Sets    []ReviewSet `json:"sets"`
	Waiting int         `json:"waiting"` // of these
	Damaged int         `json:"damaged,omitempty"`
}

// A ReviewSet is what one call left.
type ReviewSet struct {
	ID    string `json:"id"`
	Time  string `json:"time"` // RFC 3339
	Title string `json:"title"`
	Names string `json:"names"` // of the first files
	Open  int    `json:"open"`  // files that wait
	Files int    `json:"files"`
}

// ReviewFiles are a part of a set.
type ReviewFiles struct {
	Files []ReviewFile `json:"files"`
	More  bool         `json:"more"` // others follow
}

// A ReviewFile is one change of a set.
type ReviewFile struct {
	Number int    `json:"n"` // in its set
	Path   string `json:"path"`
	Change string `json:"change"`
	Why    string `json:"why"`
	State  string `json:"state"` // waits, made or dropped
	Diff   string `json:"diff"`
}

// Reviewed is what became of what was chosen.
type Reviewed struct {
	Text    string `json:"text,omitempty"`    // as helve review says it
	Problem string `json:"problem,omitempty"` // not all of it was done
}

// review are the requests about it.
func (p *Handler) review(all map[string]http.HandlerFunc) {
	r, ok := p.o.Data.(Reviewer)
	if !ok {
		return
	}
	all["GET review"] = func(w http.ResponseWriter, q *http.Request) {
		v, err := r.Review(q.Context())
		respond(w, v, err)
	}
	all["GET review-files"] = func(w http.ResponseWriter, q *http.Request) {
		skip, err := strconv.Atoi(q.FormValue("skip"))
		if err != nil || skip < 0 {
			fail(w, http.StatusBadRequest, "skip: want a number")
			return
		}
		v, err := r.ReviewFiles(q.Context(), q.FormValue("id"), skip)
		respond(w, v, err)
	}
	type deciding func(ctx context.Context, id string, files []int) (Reviewed, error)
	for name, decide := range map[string]deciding{"make": r.ReviewApply, "drop": r.ReviewDrop} {
		all["POST review-"+name] = func(w http.ResponseWriter, q *http.Request) {
			var in struct {
				ID    string `json:"id"`
				Files []int  `json:"files,omitempty"`
			}
			if !read(w, q, maxBody, &in) {
				return
			}
			if in.ID == "" {
				fail(w, http.StatusBadRequest, "id: want that of a set")
				return
			}
			if in.Files != nil && len(in.Files) == 0 {
				fail(w, http.StatusBadRequest, "files: none is chosen; without files all of the set are meant")
				return
			}
			v, err := decide(q.Context(), in.ID, in.Files)
			respond(w, v, err)
		}
	}
}
