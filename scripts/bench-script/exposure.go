package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"helve"
	"helve/internal/tokens"
	"helve/parts/everything"
	scripts "helve/parts/script"
	"helve/server"
)

// exposures are the ways to show the tools to a client.
var exposures = []server.Exposure{server.ExposeAll, server.ExposeDeferred, server.ExposeCode}

// sets are the servers of each row, by their names in the configuration.
var sets = [][]string{
	{},
	{"memory"},
	{"memory", "files"},
	{"memory", "files", "everything"},
	{"memory", "files", "everything", "browser"},
}

// wanted is what is looked for where the list has it not.
const wanted = "create entities in the knowledge graph"

// compareExposures prints what the list of tools costs a client in each exposure, and what it costs to find one tool
// that the list has not.
func compareExposures(ctx context.Context, out io.Writer, temp, npm, src string) error {
	fmt.Fprintf(out, "%-34s %5s %7s %9s %7s %15s %11s\n",
		"servers", "tools", "all", "deferred", "code", "find, deferred", "find, code")
	for i, names := range sets {
		if len(names) > 0 && npm == "" {
			fmt.Fprintf(out, "%-34s left out: HELVE_NPM names no folder\n", strings.Join(names, ", "))
			continue
		}
		places, err := configured(temp, fmt.Sprintf("exposure%d.json", i), npm, src, names...)
		if err != nil {
			return err
		}
		row, err := exposed(ctx, helve.Options{Dirs: []string{src}, Resident: true, Places: places})
		if err != nil {
			return fmt.Errorf("%v: %w", names, err)
		}
		label := "none"
		if len(names) > 0 {
			label = strings.Join(names, ", ")
		}
		fmt.Fprintf(out, "%-34s %5d %7d %9d %7d %15d %11d\n",
			label, row.tools, row.list[0], row.list[1], row.list[2], row.find[1], row.find[2])
	}
	return nil
}

// A cost is what the exposures cost with one set of servers, in tokens.
type cost struct {
	tools      int
	list, find [3]int
}

// exposed asks a server for its list in each exposure. run_script is in none of them but its own.
func exposed(ctx context.Context, o helve.Options) (c cost, err error) {
	for i, e := range exposures {
		o.Parts = append(everything.Parts(), scripts.Part(scripts.Options{On: e == server.ExposeCode}))
		ws, err := helve.Open(ctx, o)
		if err != nil {
			return c, err
		}
		err = ws.Connect(ctx)
		if err == nil {
			err = c.ask(ctx, ws, i, e)
		}
		if err := ws.Close(); err != nil {
			return c, err
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}

// ask lists the tools of a workspace as a client sees them, and searches for one.
func (c *cost) ask(ctx context.Context, ws *helve.Workspace, i int, e server.Exposure) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	theirs, to := io.Pipe()
	from, ours := io.Pipe()
	srv := ws.Server(server.Options{Expose: e})
	defer srv.Close()
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(ctx, theirs, ours) }()
	defer func() { to.Close(); from.Close(); <-ended }()
	client := &client{to: to, from: bufio.NewReader(from)}
	if _, err := client.ask("initialize",
		`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`); err != nil {
		return err
	}
	fmt.Fprintln(to, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	list, err := client.ask("tools/list", `{}`)
	if err != nil {
		return err
	}
	var got struct{ Tools []json.RawMessage }
	if err := json.Unmarshal(list, &got); err != nil {
		return err
	}
	tools, err := json.Marshal(got.Tools)
	if err != nil {
		return err
	}
	c.list[i] = tokens.Count(string(tools))
	switch e {
	case server.ExposeAll:
		c.tools = len(got.Tools)
		return nil
	case server.ExposeDeferred:
		return c.search(client, i, "memory/create_entities")
	}
	return c.search(client, i, "")
}

// search adds what a search costs, and a look at the tool that it found; "": the search says enough.
func (c *cost) search(client *client, i int, describe string) error {
	calls := []string{fmt.Sprintf(`{"name":"search_tools","arguments":{"query":%q}}`, wanted)}
	if describe != "" {
		calls = append(calls, fmt.Sprintf(`{"name":"describe_tool","arguments":{"name":%q}}`, describe))
	}
	for _, call := range calls {
		res, err := client.ask("tools/call", call)
		if err != nil {
			return err
		}
		var got struct{ Content []struct{ Text string } }
		if err := json.Unmarshal(res, &got); err != nil {
			return err
		}
		c.find[i] += tokens.Count(call)
		for _, part := range got.Content {
			c.find[i] += tokens.Count(part.Text)
		}
	}
	return nil
}

// A client asks a server over a pipe, one request at a time.
type client struct {
	to   io.Writer
	from *bufio.Reader
	id   int

	asked func() // is told of each question, which is answered with yes
}

// ask is the result of a request. What the server says meanwhile is left out.
func (c *client) ask(method, params string) (json.RawMessage, error) {
	c.id++
	_, err := fmt.Fprintf(c.to, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", c.id, method, params)
	if err != nil {
		return nil, err
	}
	for {
		line, err := c.from.ReadBytes('\n')
		if err != nil {
			return nil, err
		}
		var m struct {
			ID     any
			Method string
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return nil, err
		}
		switch {
		case m.Method == "elicitation/create" && c.asked != nil:
			c.asked()
			id, _ := json.Marshal(m.ID)
			const yes = `{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"decision":"once"}}}` + "\n"
			if _, err := fmt.Fprintf(c.to, yes, id); err != nil {
				return nil, err
			}
		case m.ID != float64(c.id):
		case m.Error != nil:
			return nil, fmt.Errorf("%s: %s", method, m.Error)
		default:
			return m.Result, nil
		}
	}
}
