// Package wrap is the middleware of a kit: what stands around calls whatever the tool.
//
// A Runner middleware stands around approved jobs, in tool.KitOptions.Wrap:
//
//	Wrap: wrap.Standard(wrap.Options{})
//
// Their order counts, the outermost first. [Serial] is outside [Timeout], so that waiting for its turn costs a job none
// of its time. [Limit] is inside both: what it cuts belongs to the job.
//
// A Caller middleware stands around whole calls, refusals too, in tool.KitOptions.Around: [Counter.Count], [Audit],
// [Hooks.Around], [Idle.Mark], [Tape], which records calls, and [Cassette.Play], which answers in their place. Those
// that record belong outside those that refuse.
//
// All of them are safe for concurrent use.
package wrap
