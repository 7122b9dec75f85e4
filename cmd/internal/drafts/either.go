package drafts

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"helve/builtin"
	"helve/cmd/internal/asking"
	"helve/cmd/internal/command"
	"helve/cmd/internal/review"
	"helve/cmd/internal/terminal"
	"helve/internal/workspace"
)

// What waits in helve review and what is drafted are one to a person: an ID of either does in both commands what is
// meant. What a difference has to be seen for is asked here as there.

// ofReview does to what waits what a command says of a draft.
func (o options) ofReview(ctx context.Context, s command.Streams, ws *workspace.Assembly, name string) error {
	words := []string{o.id}
	if len(o.part) > 0 {
		const instead = "hint: helve review drop takes paths"
		return command.Usage("draft: %s waits in helve review\n%s", command.Printable(o.id), instead)
	}
	switch name {
	case "diff":
		return review.Do(ctx, s, ws, "show", words, o.json)
	case "drop":
		return review.Do(ctx, s, ws, "drop", words, o.json)
	}
	if !o.yes {
		yes, err := o.seen(ctx, s, ws, words)
		if err != nil || !yes {
			return err
		}
	}
	return review.Do(ctx, s, ws, "apply", words, o.json)
}

// seen shows what waits, and asks whether it is made.
func (o options) seen(ctx context.Context, s command.Streams, ws *workspace.Assembly, words []string) (bool, error) {
	if !s.Terminal().Present() {
		return false, unseen(o.id)
	}
	sets, err := ws.Review().Show(words)
	if err != nil {
		return false, command.Failed(fmt.Errorf("draft: %w", err))
	}
	var texts []string
	for _, set := range sets {
		texts = append(texts, review.Whole(set))
	}
	yes, err := asking.Confirm(ctx, s.Terminal(), terminal.Question{
		Title:   "make what waits in helve review",
		Ask:     "Make it?",
		Preview: strings.Join(texts, "\n"),
		Diff:    true,
	}, "Yes")
	if err == nil && !yes {
		err = &command.ExitError{Status: command.ExitRefused, Err: fmt.Errorf(
			"draft: nothing was made: you declined\nhint: it goes on waiting: helve draft drop %s loses it", o.id)}
	}
	return yes, err
}

// ForReview does to a draft what a command of helve review says: show, apply or drop. False: the word is no draft's
// ID.
func ForReview(
	ctx context.Context, s command.Streams, ws *workspace.Assembly, verb, id string, json bool,
) (is bool, err error) {
	do, known := map[string]doing{"show": diff, "apply": commit, "drop": drop}[verb]
	if !known {
		return false, nil
	}
	err = do(ctx, s, ws, options{id: id, json: json})
	if errors.Is(err, builtin.ErrDraftUnknown) {
		return false, nil
	}
	return true, wrong(err)
}
