package script_test

import (
	"context"
	"testing"

	"helve/tool"
)

// ended is what a command says of its end.
type ended struct {
	Stdout   string `json:"stdout"`
	ExitCode int    `json:"exit_code"`
	TimedOut bool   `json:"timed_out,omitempty"`
	Lost     bool   `json:"lost,omitempty"`
}

func (e ended) Text() string { return e.Stdout }

type howIn struct {
	How string `json:"how"`
}

// command is a tool that runs a command, which ends as it is told to.
func command() tool.Tool {
	spec := tool.Spec{Name: "run", Kind: tool.Read, Doc: tool.Doc{Short: "Runs."},
		Origin: tool.Origin{Kind: tool.Builtin, Name: "run"}}
	return tool.Renders[ended](tool.New(spec, func(_ context.Context, _ *tool.Call, in howIn) (*tool.Result, error) {
		e, code := ended{Stdout: "said"}, tool.Execution
		switch in.How {
		case "fails":
			e.ExitCode = 3
		case "late":
			e.ExitCode, e.TimedOut, code = -1, true, tool.TimedOut
		case "lost":
			e.ExitCode, e.Lost = 1, true
		case "no":
			e.ExitCode, code = 1, tool.Permission
		case "broken":
			return nil, tool.Errorf(tool.Execution, "it is broken")
		default:
			return tool.Render(e), nil
		}
		res := tool.Render(e)
		res.Err = tool.Errorf(code, "it failed")
		return res, nil
	}))
}

func TestACommandThatFailsIsAValueWithItsExitCode(t *testing.T) {
	b := newBench(t, tool.KitOptions{Ask: yes}, command())
	b.says(`r = run(how="fails")`+"\n"+`[r.exit_code, r.stdout, r["timed_out"], r.get("timed_out")]`, `[3,"said",false,false]`)
	b.says(`r = run(how="late")`+"\n"+`[r.exit_code, r.timed_out]`, `[-1,true]`)
	b.says(`[r.exit_code for r in parallel([lambda: run(how="fails"), lambda: run(how="well")])]`, "[3,0]")
	b.says(`try_call(run, how="fails")[0].exit_code`, "3")
	for _, how := range []string{"lost", "no", "broken"} { // nobody has anything of these
		b.fails(`run(how="`+how+`").exit_code`, "run {")
		b.says(`try_call(run, how="`+how+`")[0]`, "The script ended after 1 calls, without a result: set result, or end with an expression.")
	}
}

type status struct {
	Name string `json:"name"`
	Done *bool  `json:"done,omitempty"`
}

func (s status) Text() string { return s.Name }

// remote is a tool of a server that leaves a field out.
func remote() tool.Tool {
	spec := tool.Spec{Name: "mcp__far__status", Kind: tool.Read, Doc: tool.Doc{Short: "Says."},
		Origin: tool.Origin{Kind: tool.MCP, Server: "far", Name: "status"}}
	return tool.Renders[status](tool.New(spec, func(context.Context, *tool.Call, struct{}) (*tool.Result, error) {
		return tool.Render(status{Name: "far"}), nil
	}))
}

// What a tool promises is known of each that a script calls, also where its name is made of two texts.
func TestAToolThatIsFoundByATextKeepsItsPromises(t *testing.T) {
	b := newBench(t, tool.KitOptions{Ask: yes}, remote())
	b.says(`[far.status().done]`, "[null]")
	b.says(`[getattr(far, "sta" + "tus")().done]`, "[null]")
	b.says(`f = getattr(far, "sta" + "tus")`+"\n"+`[x.done for x in parallel([f, f])]`, "[null,null]")
	b.fails(`far.status().nothing`, "nothing")
}

func TestAFieldThatIsPromisedIsThereHoweverItIsRead(t *testing.T) {
	b := newBench(t, tool.KitOptions{Ask: yes}, command())
	b.says(`r = run(how="well")`+"\n"+`[r.timed_out, r["timed_out"], r.get("timed_out", 7), r.get("nothing", 7), "timed_out" in r, "nothing" in r]`,
		`[false,false,false,7,true,false]`)
	b.says(`run(how="well")`, `{"stdout":"said","exit_code":0}`)
	b.says(`sorted(run(how="well").keys())`, `["exit_code","stdout"]`)
	b.fails(`run(how="well")["nothing"]`, "nothing")
}
