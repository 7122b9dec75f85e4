package serve

import (
	"context"

	"helve/internal/workspace"
	"helve/tool/telemetry"
)

// tellTokens tells what lists cost, now and whenever the tools change.
func (d *consoleData) tellTokens(ctx context.Context, to telemetry.Provider, ws *workspace.Assembly) {
	for v := range ws.Kit().Watch(ctx) {
		listed, deferred := 0, 0
		for _, s := range v.Specs() {
			listed += d.cost(s, v.Name(s))
		}
		for _, s := range v.Unlisted() {
			deferred += d.cost(s, v.Name(s))
		}
		telemetry.Tokens(ctx, to, listed, deferred)
	}
}
