package run

import (
	"errors"
	"net/http"
	"strings"

	"helve/agent"
	"helve/cmd/internal/command"
)

// nextStep is what a person can do about the error that ended a run of the model of that name; "": nothing is known
// that the server's own words do not say. It names the variables and flags of this program, which the agent's package
// does not know.
func nextStep(err error, model, session string) string {
	provider, _, _ := strings.Cut(model, "/")
	later := "go on later with --resume " + session
	// What the person asked for is not lost: the session holds all but the answer that failed.
	refused, ok := errors.AsType[*agent.ServerError](err)
	switch {
	case errors.Is(err, agent.ErrUnreachable):
		return "start the server, or say with --base-url where it is; then go on with --resume " + session
	case errors.Is(err, agent.ErrBroken):
		return later
	case !ok:
		return ""
	}
	// The statuses mean the same with all providers, as far as they use them.
	switch refused.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		if names := command.KeyVariables(provider); names != nil {
			return "check the key in " + strings.Join(names, " or ")
		}
		return "check the key that providers." + provider + " names in your configuration"
	case http.StatusNotFound:
		return "check the model's name, and that --base-url is the address of the API, which often ends in /v1"
	case http.StatusRequestEntityTooLarge:
		return "the conversation is too long for this model: begin a new one, " +
			"or go on with another model and --resume " + session
	case http.StatusPaymentRequired, http.StatusTooManyRequests:
		return later + ", or raise the limit at the provider"
	}
	if refused.Status >= http.StatusInternalServerError {
		return later
	}
	return ""
}
