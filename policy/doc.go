// Package policy decides what an agent may see and do. It does no I/O.
//
// [Rules] are made of layers, highest first, each with switches (what is on, off, or how it is approved), names that
// are off for good, and rules on what calls would do. One decision is made of them like this:
//
//	listed?   allowed_tools of every layer → disabled_tools of any layer → the highest layer with a matching switch
//	          → mode
//	allowed?  floors: mode plan, catastrophic commands, helve's own files
//	          rules: any layer whose last match denies; else the highest layer with a match
//	          switches: allow, ask or deny, where no rule of that layer or a higher one has spoken
//	          defaults: reading inside the workspace is free, everything else is asked about, in mode auto less
//
// What a call would do is a list of effects; the strictest answer counts. A layer that only tightens is weighed by
// itself: the answer is the stricter one of what it says and of what all others say. So these hold, and are tested with
// random layers:
//
//   - what is denied for listing is denied for every call;
//   - adding a deny never allows more;
//   - a layer that only tightens never allows more than no such layer.
//
// Effects that are not known before a job runs are met by rules that deny or ask, never by patterns that allow. A rule
// without a pattern allows the whole of an own tool. Where a rule that allows was seen and does not count, the reason
// says so.
package policy
