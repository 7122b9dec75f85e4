package sandbox

import (
	"sync"
	"time"

	"helve/engine/sandbox/internal/proc"
)

// warmTime is how long a launcher waits for the next command. Commands of an agent come in rows; a waiting process is
// not to stay when the row has ended, and it does not see what is mounted on the machine after its start.
const warmTime = 15 * time.Second

// warm holds one waiting launcher of each kind. Starting a launcher takes longer than all else that a sandbox does,
// so the next one is started while the present command runs.
var warm struct {
	sync.Mutex
	ready   map[trialKey]*waiting
	started map[trialKey]bool
}

type waiting struct {
	prepared *proc.Prepared
	timer    *time.Timer
}

// inRow notes that a command of this kind was started, and reports that it was not the first.
func inRow(key trialKey) bool {
	warm.Lock()
	defer warm.Unlock()
	before := warm.started[key]
	if warm.started == nil {
		warm.started = map[trialKey]bool{}
	}
	warm.started[key] = true
	return before
}

// takeWarm returns a waiting launcher of this kind, or nil.
func takeWarm(key trialKey) *proc.Prepared {
	warm.Lock()
	defer warm.Unlock()
	w := warm.ready[key]
	if w == nil {
		return nil
	}
	delete(warm.ready, key)
	if !w.timer.Stop() {
		return nil // it is being ended
	}
	return w.prepared
}

// keepWarm starts a launcher for the next command of this kind. Without one the next command starts its own.
func keepWarm(key trialKey, v proc.Supervisor) {
	warm.Lock()
	defer warm.Unlock()
	if warm.ready[key] != nil {
		return
	}
	prepared, err := proc.Prepare(v)
	if err != nil {
		return
	}
	if warm.ready == nil {
		warm.ready = map[trialKey]*waiting{}
	}
	w := &waiting{prepared: prepared}
	w.timer = time.AfterFunc(warmTime, func() {
		warm.Lock()
		if warm.ready[key] == w {
			delete(warm.ready, key)
		}
		warm.Unlock()
		prepared.Close()
	})
	warm.ready[key] = w
}

// Rest ends the launchers that wait for another command or view. They also end by themselves after some seconds, and
// with this process.
func Rest() {
	restViewer(nil)
	warm.Lock()
	defer warm.Unlock()
	for key, w := range warm.ready {
		if w.timer.Stop() {
			w.prepared.Close()
		}
		delete(warm.ready, key)
	}
}
