// Package telemetry is the part of a workspace that tells a program's own telemetry what calls do.
package telemetry

import (
	"context"

	"helve/internal/workspace"
	"helve/tool/telemetry"
)

// Part is for helve.Options.Parts. to is told of each call, of requests to MCP servers, and as a server of those of
// clients; package helve/tool/telemetry/otel makes one of OpenTelemetry's API. nil: nobody is told. Of several parts of
// this kind the last counts. It has no keys.
func Part(to telemetry.Provider) workspace.Part { return part{to} }

type part struct{ to telemetry.Provider }

var _ workspace.Telling = part{} // the workspace looks for it by this

func (part) Keys() []string { return nil }

func (part) Open(context.Context, *workspace.Site) error { return nil }

// Telemetry is who is told.
func (p part) Telemetry() telemetry.Provider { return p.to }
