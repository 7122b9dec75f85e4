package run

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"helve/agent/conversation"
	"helve/cmd/internal/command"
)

const (
	// promptMax bounds a prompt from standard input, in bytes: more than any model reads.
	promptMax = 4 << 20
	// quietInput is how long standard input may bring nothing beside a prompt before it is said that it is waited
	// for: a program that started helve may have left it open.
	quietInput = 3 * time.Second
)

// resumeWord takes the word that stands directly behind a bare --resume for its value, if it means a conversation. args
// are the words of the whole command line.
func (o *runOptions) resumeWord(args []string, all conversation.Store) {
	at := slices.IndexFunc(args, func(a string) bool { return a == "--resume" || a == "-r" })
	if o.resume != bareResume || at < 0 || at+1 >= len(args) {
		return
	}
	word := slices.Index(o.words, args[at+1])
	if word < 0 {
		return
	}
	_, err := conversation.Find(all, o.words[word])
	_, many := errors.AsType[*conversation.AmbiguousError](err)
	if err == nil || many {
		o.resume, o.words = o.words[word], slices.Delete(slices.Clone(o.words), word, word+1)
	}
}

// promptOf is the prompt: the words, standard input, or both.
func promptOf(ctx context.Context, s command.Streams, words []string) (string, error) {
	if len(words) == 1 && words[0] == "-" {
		words = nil
	}
	prompt := strings.Join(words, " ")
	if command.IsTerminal(s.Stdin) {
		if strings.TrimSpace(prompt) == "" {
			return "", command.Usage("run: want a prompt\nhint: helve run PROMPT answers and ends; " +
				"a conversation at the terminal is not there yet")
		}
		return prompt, nil
	}
	if prompt != "" {
		waiting := time.AfterFunc(quietInput, func() {
			s.Note("run: waiting for standard input to end; < /dev/null leaves it out")
		})
		defer waiting.Stop()
	}
	b, err := command.ReadAll(ctx, s.Stdin, promptMax)
	if err != nil {
		return "", err
	}
	input := string(b)
	switch {
	case strings.TrimSpace(input) == "" && strings.TrimSpace(prompt) == "":
		return "", command.Usage("run: the prompt is empty\nhint: helve run PROMPT, or give it on standard input")
	case strings.TrimSpace(input) == "":
		return prompt, nil
	case prompt == "":
		return input, nil
	}
	return prompt + "\n\n" + input, nil
}
