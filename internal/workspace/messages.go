package workspace

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
)

// messages are what a workspace says to the person who runs it.
type messages struct{ log *slog.Logger }

// warn says what is wrong and goes on all the same.
func (m messages) warn(format string, args ...any) { m.log.Warn(fmt.Sprintf(format, args...)) }

// notice says what a person should read once although nothing is wrong.
func (m messages) notice(format string, args ...any) {
	m.log.Log(context.Background(), LevelNotice, fmt.Sprintf(format, args...))
}

// once warns of an error the first time that it comes.
func (m messages) once(text string) func(error) {
	var once sync.Once
	return func(err error) { once.Do(func() { m.warn("%s: %v", text, err) }) }
}
