package source

import (
	"context"
	"errors"

	"helve/tool"
)

// Follow attaches all sources and returns at once. Remembered lists stand then; sources that have to be started first
// are registered when they are ready, and Late is told of those that fail. The channel is closed when all have
// answered.
func (l *Loader) Follow() <-chan struct{} {
	return l.FollowOnly(func(tool.Source) bool { return true })
}

// FollowOnly is Follow for the sources that satisfy a condition. Those that are followed already are not begun again.
func (l *Loader) FollowOnly(is func(tool.Source) bool) <-chan struct{} {
	over, end := context.WithCancel(context.Background())
	end() // under it a remembered list comes, and any other is an error
	var waits []*listing
	for _, s := range l.Sources() {
		if !is(s) {
			continue
		}
		if l.known(s) {
			waits = append(waits, l.begin(s, l.late))
			continue
		}
		how := l.late
		err := l.Registry.Attach(over, s)
		if err == nil || l.isAway(err) { // who follows one that is away hears when it comes, and nobody waits for it
			how = l.attached(err)
		}
		waits = append(waits, l.begin(s, how))
	}
	all := make(chan struct{})
	l.after(func() { close(all) }, waits...)
	return all
}

// attached is the lister of a source that is attached already, with what became of that.
func (l *Loader) attached(err error) lister {
	return func(_ context.Context, s tool.Source) error {
		if err != nil && l.Late != nil {
			l.Late(failed(s.Name(), err))
		}
		return err
	}
}

// isAway tells of an error that means that the source was not asked.
func (l *Loader) isAway(err error) bool { return l.Away != nil && l.Away(err) }

// known tells that the first listing of a source was begun.
func (l *Loader) known(s tool.Source) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.of[s.Name()] != nil
}

// late lists a source that is attached already.
func (l *Loader) late(ctx context.Context, s tool.Source) error {
	err := l.Registry.Refresh(ctx, s.Name())
	closed := errors.Is(ctx.Err(), context.Canceled) // a time-out is news, the end of the workspace is not
	if err != nil && l.Late != nil && !closed {
		l.Late(failed(s.Name(), err))
	}
	return err
}

// Again lists a source once more in the background, and tells Late if it fails.
func (l *Loader) Again(name string) {
	l.Go(func(life context.Context) {
		ctx, stop := l.bounded(life, name)
		defer stop()
		err := l.Registry.Refresh(ctx, name)
		if err != nil && l.Late != nil && life.Err() == nil {
			l.Late(failed(name, err))
		}
	})
}
