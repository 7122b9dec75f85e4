package acp

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	"helve/agent"
	"helve/cmd/internal/command"
	"helve/cmd/internal/run"
	"helve/internal/rpc"
)

// maxPrompt bounds a prompt, in bytes of text: more than any model reads.
const maxPrompt = 4 << 20

// answer answers a prompt, or carries out a command.
func (s *session) answer(ctx context.Context, prompt agent.User) (any, error) {
	s.answering.Lock()
	defer s.answering.Unlock()
	if s.life.Err() != nil {
		return nil, rpc.Errorf(codeNotFound, "the session %s was closed", s.id)
	}
	s.shown.message++
	if done, err := s.command(ctx, prompt.Text); done {
		return s.ended(ctx, run.Ending{Stop: agent.Done, Err: err})
	}
	e := s.host.Prompt(ctx, prompt)
	s.tellName()
	if e.Err != nil && e.Hint != "" {
		e.Err = fmt.Errorf("%w\nhint: %s", e.Err, e.Hint)
	}
	return s.ended(ctx, e)
}

// ended is the answer to the request. What the editor stopped is no error.
func (s *session) ended(ctx context.Context, e run.Ending) (any, error) {
	out := promptOut{Stop: stopReason(e.Stop)}
	if e.Outcome != nil {
		out.Meta = map[string]any{"helve": e.Outcome}
	}
	switch {
	case ctx.Err() != nil:
		out.Stop = "cancelled"
	case e.Err != nil:
		return nil, rpc.Errorf(failure(e.Err), "%s", strings.TrimPrefix(command.Printable(e.Err.Error()), "run: "))
	case e.Stop != agent.Done && e.Stop != agent.Length && e.Stop != agent.Refused:
		s.notice("warning", "stopped before it was done: "+cmp.Or(command.Printable(e.Reason), string(e.Stop)))
	}
	return out, nil
}

// failure is the code of what ended a run.
func failure(err error) int {
	refused, ok := errors.AsType[*agent.ServerError](err)
	if ok && (refused.Status == 401 || refused.Status == 403) {
		return codeAuth
	}
	return rpc.CodeInternal
}

// stopReason is why an answer ended, in the protocol's words.
func stopReason(stop agent.Stop) string {
	switch stop {
	case agent.Length, agent.Tokens:
		return "max_tokens"
	case agent.Turns, agent.Time:
		return "max_turn_requests"
	case agent.Refused:
		return "refusal"
	}
	return "end_turn"
}

// promptOf is what a person said, with what they pointed at and the pictures that they showed.
func promptOf(dir string, blocks []block) (prompt agent.User, err error) {
	var parts []string
	size := 0
	for i, b := range blocks {
		var text string
		if b.Type == "image" {
			err = show(&prompt, b)
		} else {
			text, err = blockText(dir, b)
		}
		if err != nil {
			return prompt, fmt.Errorf("prompt[%d]: %w", i, err)
		}
		parts = append(parts, text)
		size += len(text)
	}
	prompt.Text = strings.Join(parts, "")
	switch {
	case strings.TrimSpace(prompt.Text) == "" && prompt.Images == nil:
		return prompt, errors.New("the prompt is empty")
	case size > maxPrompt:
		return prompt, fmt.Errorf("the prompt has more than %d bytes", maxPrompt)
	}
	return prompt, nil
}

// show adds a picture to a prompt. What the editor calls it does not count, its bytes do.
func show(prompt *agent.User, b block) error {
	if len(prompt.Images) == run.MaxImages {
		return fmt.Errorf("a prompt has at most %d images", run.MaxImages)
	}
	data, err := base64.StdEncoding.DecodeString(b.Data)
	if err != nil {
		return fmt.Errorf("the image is no base64: %w", err)
	}
	image, err := run.ImageOf(data)
	if err != nil {
		return fmt.Errorf("the image: %w", err)
	}
	prompt.Images = append(prompt.Images, image)
	return nil
}

// blockText is a piece of a prompt as the model reads it. Texts run on: a link stands in the middle of a sentence.
func blockText(dir string, b block) (string, error) {
	switch b.Type {
	case "text":
		return b.Text, nil
	case "resource_link":
		return "`" + pointed(dir, b.URI) + "`", nil
	case "resource":
		if b.Resource == nil || b.Resource.URI == "" {
			return "", errors.New("want a resource with a uri")
		}
		at := pointed(dir, b.Resource.URI)
		if b.Resource.Blob != "" {
			return "`" + at + "` (its content is no text, and left out)", nil
		}
		fence := fenceOf(b.Resource.Text)
		return "\n`" + at + "`:\n" + fence + "\n" + strings.TrimSuffix(b.Resource.Text, "\n") + "\n" + fence + "\n", nil
	case "audio":
		return "", errors.New("this agent takes no audio")
	}
	return "", fmt.Errorf("a block of type %.40q is not known", b.Type)
}

// pointed is what an address means here: a path relative to the workspace, with its lines, or the address.
func pointed(dir, uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return command.OneLine(uri)
	}
	path := filepath.FromSlash(u.Path)
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, `\`)
	}
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		path = filepath.ToSlash(rel)
	}
	if u.Fragment != "" {
		path += "#" + u.Fragment
	}
	return command.OneLine(path)
}
