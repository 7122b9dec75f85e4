package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"sync"
	"time"
)

// A Source brings tools from elsewhere: a discovery command, an MCP server. Its methods are safe
// for concurrent use. It may also be a Watcher and an io.Closer.
type Source interface {
	// Name is unique in a registry.
	Name() string
	// Tools is the whole list as it is now. ctx bounds the listing, never a process's life.
	Tools(ctx context.Context) ([]Tool, error)
}

// A Watcher is a Source that tells when its list has changed. Watch calls changed, at most as often
// as it makes sense to list again, until ctx is done.
type Watcher interface {
	Watch(ctx context.Context, changed func())
}

// A Status is the state of a source.
type Status struct {
	Name    string    `json:"name"`
	Tools   int       `json:"tools"`           // how many stand registered
	Missing bool      `json:"missing"`         // the last listing failed
	Err     string    `json:"error,omitempty"` // why
	Since   time.Time `json:"since"`           // when it last changed between there and missing
}

type attached struct {
	one    sync.Mutex // one listing at a time, so that the newest list is the last to be set
	src    Source
	status Status
	stop   context.CancelFunc
	done   chan struct{}
}

// Attach lists a source, registers what it brings and follows its changes until Detach or Close. A
// source that fails stays attached, as missing, and leaves all other tools in place. ctx bounds
// this listing only.
func (r *Registry) Attach(ctx context.Context, src Source) error {
	if src.Name() == string(Builtin) || src.Name() == string(Go) {
		return fmt.Errorf("attach: %q is no name for a source", src.Name())
	}
	a := &attached{src: src, status: Status{Name: src.Name()}, done: make(chan struct{})}
	r.mu.Lock()
	if r.find(src.Name()) != nil {
		r.mu.Unlock()
		return fmt.Errorf("attach: a source named %q is attached already", src.Name())
	}
	r.sources = append(r.sources, a)
	var follow context.Context
	follow, a.stop = context.WithCancel(context.WithoutCancel(ctx))
	r.mu.Unlock()

	err := r.list(ctx, a)
	w, ok := src.(Watcher)
	if !ok {
		close(a.done)
		return err
	}
	go func() {
		defer close(a.done)
		w.Watch(follow, func() {
			if err := r.list(follow, a); err != nil && follow.Err() == nil {
				r.warn("listing failed, the last list stays", "source", src.Name(), "error", err)
			}
		})
	}()
	return err
}

func (r *Registry) find(source string) *attached {
	for _, a := range r.sources {
		if a.src.Name() == source {
			return a
		}
	}
	return nil
}

// list asks one source and registers the answer. A failure leaves what stands.
func (r *Registry) list(ctx context.Context, a *attached) error {
	a.one.Lock()
	defer a.one.Unlock()
	tools, err := a.src.Tools(ctx)
	if err == nil {
		err = r.Set(a.src.Name(), tools)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	st := &a.status
	if st.Since.IsZero() || st.Missing != (err != nil) {
		st.Since = time.Now()
	}
	st.Missing, st.Err = err != nil, ""
	if err != nil {
		st.Err = err.Error()
		return fmt.Errorf("%s: %w", a.src.Name(), err)
	}
	st.Tools = len(tools)
	return nil
}

// Refresh lists the named sources again, all of them if none is named. The tools of a name that is
// not attached go, without an error. The errors of several sources are joined; each source
// is listed whatever becomes of the others.
func (r *Registry) Refresh(ctx context.Context, sources ...string) error {
	r.mu.Lock()
	if len(sources) == 0 {
		for _, a := range r.sources {
			sources = append(sources, a.src.Name())
		}
	}
	todo := make([]*attached, len(sources))
	for i, n := range sources {
		todo[i] = r.find(n)
	}
	r.mu.Unlock()
	errs := make([]error, len(sources))
	var wg sync.WaitGroup
	for i, a := range todo {
		if a == nil {
			errs[i] = r.Set(sources[i], nil)
			continue
		}
		wg.Go(func() { errs[i] = r.list(ctx, a) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Detach removes a source and its tools and closes it if it is an io.Closer. It tells whether the
// source was attached.
func (r *Registry) Detach(source string) (bool, error) {
	r.mu.Lock()
	a := r.find(source)
	if a == nil {
		r.mu.Unlock()
		return false, nil
	}
	r.sources = slices.DeleteFunc(r.sources, func(x *attached) bool { return x == a })
	r.mu.Unlock()
	err := a.close()
	return true, errors.Join(err, r.Set(source, nil))
}

func (a *attached) close() error {
	a.stop()
	<-a.done
	if c, ok := a.src.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Close ends the watches and closes the sources. The tools stay registered.
func (r *Registry) Close() error {
	r.leave()
	r.mu.Lock()
	sources := r.sources
	r.sources = nil
	r.mu.Unlock()
	var errs []error
	for _, a := range sources {
		errs = append(errs, a.close())
	}
	return errors.Join(errs...)
}

// Sources tells the state of each attached source, by name.
func (r *Registry) Sources() []Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]Status, 0, len(r.sources))
	for _, a := range r.sources {
		out = append(out, a.status)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}
