// Package wrap is the middleware of a kit.
//
// A Runner middleware stands around approved jobs, in tool.KitOptions.Wrap; Serial belongs outside Timeout, and both outside Limit:
//
//	Wrap: wrap.Standard(wrap.Options{})
//
// A Caller middleware stands around whole calls, refusals too, in tool.KitOptions.Around: Counter.Count, Audit, Hooks.Around, Tape,
// which records calls, and Cassette.Play, which answers in their place.
package wrap
