package telemetry

import (
	"context"
	"strings"
	"time"
)

// Agent begins the span of an agent's run. The function ends it: failed is what kind of failure it came to.
func Agent(ctx context.Context, to Provider) (context.Context, func(failed string)) {
	ctx, span := to.Start(ctx, Start{Name: invokeAgent, Attrs: []Attr{{Key: operationName, Text: invokeAgent}}})
	return ctx, span.End
}

// A Spent is what an answer of a model took.
type Spent struct{ Input, Output int64 } // tokens

// Chat begins the span of a request to a model, which is named provider/model.
func Chat(ctx context.Context, to Provider, name string) (context.Context, func(spent Spent, failed string)) {
	began := time.Now()
	provider, model, ok := strings.Cut(name, "/")
	if !ok {
		provider, model = "", name
	}
	of := []Attr{{Key: operationName, Text: chat}}
	of = appendText(of, requestModel, model)
	of = appendText(of, providerName, provider)
	of = of[:len(of):len(of)]
	ctx, span := to.Start(ctx, Start{Name: chat + " " + model, Kind: Client, Attrs: of})
	return ctx, func(spent Spent, failed string) {
		if failed == "" {
			span.Set(Attr{Key: inputTokens, Number: spent.Input}, Attr{Key: outputTokens, Number: spent.Output})
			for kind, n := range map[string]int64{"input": spent.Input, "output": spent.Output} {
				measure(ctx, to, tokenUsage, Counter, float64(n), append(of, Attr{Key: tokenType, Text: kind}))
			}
		}
		span.End(failed)
		measure(ctx, to, chatDuration, Duration, time.Since(began).Seconds(), appendText(of, ErrorType, failed))
	}
}
