package app

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"helve/internal/config"
	"helve/internal/names"
	"helve/policy"
	"helve/server"
	"helve/tool"
)

// A knownClient is a client profile with what the configuration says about it.
type knownClient struct {
	server.ClientProfile
	approval string // that the configuration names; "" for none
	forced   bool   // by --client: somebody said so, not the client itself
}

// clientProfiles are the known clients under a configuration, by name.
func clientProfiles(over map[string]config.ClientProfile) []knownClient {
	var out []knownClient
	for _, p := range server.Profiles() {
		out = append(out, overridden(p, over[p.Name]))
	}
	for name, o := range over {
		if !slices.ContainsFunc(out, func(k knownClient) bool { return k.Name == name }) {
			out = append(out, overridden(server.ClientProfile{Name: name, Title: name, Info: []string{name}}, o))
		}
	}
	slices.SortFunc(out, func(a, b knownClient) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func overridden(p server.ClientProfile, o config.ClientProfile) knownClient {
	if o.Info != nil {
		p.Info = o.Info
	}
	return knownClient{ClientProfile: p, approval: o.Approval}
}

// clientNamed is the profile that --client names.
func clientNamed(all []knownClient, name string) (knownClient, error) {
	var known []string
	for _, k := range all {
		if k.Name == name {
			k.forced = true
			return k, nil
		}
		known = append(known, k.Name)
	}
	hint := "want " + strings.Join(known, ", ")
	if near := names.Near(name, known, 1); len(near) > 0 {
		hint = "did you mean " + near[0] + "?"
	}
	return knownClient{}, usage("--client %q: there is no such client\nhint: %s", printable(name), hint)
}

// knows tells whether there is a profile of the name that --client forces.
func (h *hall) knows(c *config.Config) error {
	if h.forced == "" {
		return nil
	}
	_, err := clientNamed(clientProfiles(c.ClientProfiles), h.forced)
	return err
}

// client is the profile of a client that connects: the one that --client
// forces, else the first that its name fits.
func (h *hall) client(c server.Client) (knownClient, error) {
	all := clientProfiles(h.house.set.ClientProfiles)
	if h.forced != "" {
		return clientNamed(all, h.forced)
	}
	var plain []server.ClientProfile
	for _, k := range all {
		plain = append(plain, k.ClientProfile)
	}
	if p, ok := server.MatchProfile(plain, c.Name); ok {
		i := slices.IndexFunc(all, func(k knownClient) bool { return k.Name == p.Name })
		return all[i], nil
	}
	return knownClient{}, nil
}

// asker is the Ask of one client's kit. A name that a client gives itself
// decides about approval on stdio only: who starts helve there could answer yes
// as well. Over HTTP --client does.
func (h *hall) asker(k knownClient, o tool.KitOptions) (tool.Asker, error) {
	approver := server.Approver{Approval: h.approval, Unasked: h.unasked}
	if h.approval != server.ApproveAuto || h.http && !k.forced {
		return approver.Asker(), nil
	}
	if k.approval != "" {
		approval, err := server.ParseApproval(k.approval)
		if err != nil {
			return nil, usage("client_profiles.%s: %v", k.Name, err)
		}
		approver.Approval = approval
		return approver.Asker(), nil
	}
	rules, ok := o.Policy.(*policy.Rules)
	if k.Asks && ok {
		auto := rules.Under(policy.Auto)
		approver.Asked = func(q *tool.Question) bool { return auto.Judge(q.Job).Decision == tool.Allow }
	}
	return approver.Asker(), nil
}

// toldUnasked is the session's: the person is told once.
type toldUnasked struct{ once sync.Once }

// unasked says on stderr, once for each session, that a client answers in its
// user's place.
func (h *hall) unasked(q *tool.Question) {
	t := tool.Of(q.Job.Call.Session, func() *toldUnasked { return &toldUnasked{} })
	t.once.Do(func() {
		h.a.note("%s needs approval, and the client answered without asking anybody: "+
			"what is asked about is refused", q.Job.Call.Name)
		h.a.note("hint: --approval client, if this client asks by itself; or a rule that allows such calls (docs/policy.md)")
	})
}

// describeClient is doctor --client NAME.
func (a *app) describeClient(name string) error {
	dir, err := a.workspace()
	if err != nil {
		return &exitError{exitUsage, err}
	}
	c, err := a.load(dir)
	if err != nil {
		return err
	}
	k, err := clientNamed(clientProfiles(c.ClientProfiles), name)
	if err != nil {
		return err
	}
	approval := k.approval
	switch {
	case approval != "":
		approval += " (client_profiles)"
	case k.Asks:
		approval = "client, for what mode auto would allow; the rest is asked by elicitation"
	default:
		approval = "by elicitation if the client has it, else by the client"
	}
	if a.flags.json {
		return a.printJSON(map[string]any{
			"name": k.Name, "title": k.Title, "info": k.Info, "asks": k.Asks, "approval": k.approval,
		})
	}
	fmt.Fprintf(a.env.Stdout, "%s (%s)\n", k.Title, k.Name)
	fmt.Fprintf(a.env.Stdout, "  calls itself: %s\n", strings.Join(k.Info, ", "))
	fmt.Fprintf(a.env.Stdout, "  approval:     %s\n", approval)
	return nil
}
