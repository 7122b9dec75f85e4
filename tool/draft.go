package tool

// A Draft is where calls change files, beside the workspace, until all of it is made as one. It is safe for concurrent
// use.
type Draft interface {
	// In is the tool that does in the draft what t does in the workspace; nil: t works on the files as they are on disk.
	// It has the name and the parameters of t.
	In(t Tool) Tool
}

// within is the tool that does the work of a call: that of its draft, if the draft has one.
func (e *entry) within(d Draft) (t Tool, drafted bool) {
	if d == nil {
		return e.tool, false
	}
	if twin := d.In(e.tool); twin != nil {
		return twin, true
	}
	return e.tool, false
}

// spared is the earlier yes by which nobody need see what a job changes in its draft: it covers the question before it.
func (k *Kit) spared(j *Job, v Verdict) (id string, ok bool) {
	if !j.Drafted || !v.Deferred {
		return "", false
	}
	return k.granted(j)
}
