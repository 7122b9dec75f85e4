// Package dialect turns tools into the declarations that model providers take, and what their models answer back into
// what the tool expects. It knows names, descriptions and JSON Schema; its output is plain JSON, so no provider's
// library comes with it.
//
// Each provider takes another part of JSON Schema. [Declare] keeps what the target knows, rewrites what can be said
// otherwise without loss, moves removed constraints into the description, and reports the rest by tool and JSON
// pointer ([Loss]). A tool that cannot be declared is left out and reported; the others are declared all the same.
// Nothing is lost at call time: the original schema validates, and [Set.Call] undoes in the arguments what the
// declaration changed.
//
// The same tools give the same bytes.
package dialect
