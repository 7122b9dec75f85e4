// Package tool holds the words of helve and its one door.
//
// A [Tool] says what it is ([Spec]) and understands a call before anything happens ([Tool.Prepare]
// makes a [Job]). A [Registry] holds the tools of every origin; a [Kit] offers those that its
// [Policy] lists, and [Kit.Call] is the only way in: it finds the tool, checks the arguments
// against the schema, prepares the job, asks the policy and, where the policy says so, a person,
// and only then runs it.
//
//	name ► schema ► Prepare ► Policy.Judge ► (Preview ► Ask) ► Wrap ► Run
//	└──────────────────────── Around ────────────────────────────────────┘
//
// Two kinds of failure have two places. What the model should read and adapt to is [Result.Err]; an
// error returned next to the result stops the host. Nothing that a tool does, a panic included,
// reaches the host as anything but a result.
//
// Zero values are the safe ones: a zero [Kind] is Exec, a zero [Verdict] denies, a zero
// [KitOptions] gives read-only tools and nobody to ask.
//
// The package depends on schema and on leaves alone: who embeds it gets no protocol, no command
// line, no network.
package tool
