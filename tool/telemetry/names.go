package telemetry

// The names of OpenTelemetry's conventions for GenAI and MCP as they were in semantic conventions 1.39, where they
// are in development, and helve's own. Nothing outside this file names an attribute, a span or a metric.
const (
	// ErrorType is what kind of failure a span or a measured time came to.
	ErrorType = "error.type"

	// Other stands for a name that is no tool's, and for a method that the protocol does not know.
	Other = "_other"

	// Attributes of the conventions.
	operationName    = "gen_ai.operation.name"
	toolName         = "gen_ai.tool.name"
	toolType         = "gen_ai.tool.type"
	toolCallID       = "gen_ai.tool.call.id"
	mcpMethod        = "mcp.method.name"
	mcpProtocol      = "mcp.protocol.version"
	networkTransport = "network.transport"
	rpcRequestID     = "jsonrpc.request.id"
	requestModel     = "gen_ai.request.model"
	providerName     = "gen_ai.provider.name"
	inputTokens      = "gen_ai.usage.input_tokens"
	outputTokens     = "gen_ai.usage.output_tokens"
	tokenType        = "gen_ai.token.type"

	// helve's own.
	verdictKey  = "helve.verdict"
	ruleKey     = "helve.rule"
	layerKey    = "helve.layer"
	effectsKey  = "helve.effects" // their kinds, and nothing of what they are about
	repairsKey  = "helve.repairs"
	cutKey      = "helve.cut"
	outcomeKey  = "helve.outcome"
	sourceKey   = "helve.source"
	approverKey = "helve.approver"
	stateKey    = "helve.state" // of a token count: listed, deferred

	// Spans and their events.
	executeTool   = "execute_tool"
	runSpan       = "run"
	invokeAgent   = "invoke_agent"
	chat          = "chat"
	askedEvent    = "helve.asked"
	answeredEvent = "helve.answered"

	// Metrics. Times are in seconds.
	serverDuration  = "mcp.server.operation.duration"
	clientDuration  = "mcp.client.operation.duration"
	sessionDuration = "mcp.server.session.duration"
	toolDuration    = "gen_ai.execute_tool.duration"
	chatDuration    = "gen_ai.client.operation.duration"
	tokenUsage      = "gen_ai.client.token.usage"
	askedDuration   = "helve.asked.duration"
	callsCount      = "helve.calls"
	repairsCount    = "helve.repairs"
	cutBytes        = "helve.cut.bytes"
	tokensGauge     = "helve.tokens"
	upGauge         = "helve.upstream.up"

	// Values.
	functionType = "function"
	toolError    = "tool_error"
	pipe         = "pipe"
	tcp          = "tcp"
)

// unitOf is the unit of a metric, as OpenTelemetry writes units.
func unitOf(metric string) string {
	switch metric {
	case callsCount:
		return "{call}"
	case repairsCount:
		return "{repair}"
	case cutBytes:
		return "By"
	case tokensGauge, tokenUsage:
		return "{token}"
	case upGauge:
		return "1"
	}
	return "s"
}
