// Package helve opens a workspace: a folder with the tools of an AI coding agent, under the configuration, the rules
// and the approvals that hold there. A program that opens one is as strict as the command line, which opens its
// workspaces in the same way.
//
// A whole agent, with a tool and rules of its own, and a person who is asked:
//
//	type place struct {
//		City string `json:"city" jsonschema:"the city, by its English name"`
//	}
//	type weather struct{ Celsius int }
//
//	func main() {
//		helve.Init() // first: a copy of this program prepares the sandbox of each command that bash runs
//		spec := tool.Spec{Name: "forecast", Kind: tool.Read, Touches: tool.Nothing, Doc: tool.Doc{Short: "Weather."}}
//		forecast := tool.NewOut(spec, func(ctx context.Context, c *tool.Call, in place) (weather, error) {
//			return weather{21}, nil
//		})
//		ctx := context.Background()
//		ws, err := helve.Open(ctx, helve.Options{ // Dirs says where; the working directory here
//			Tools: []tool.Tool{forecast},
//			Rules: []policy.Rule{policy.Allow("bash:go test *"), policy.Deny("read:secrets/**")},
//			Ask:   ask,
//		})
//		if err != nil {
//			log.Fatal(err)
//		}
//		defer ws.Close()
//		a := agent.Agent{Model: openai.New(openai.Options{Name: "gpt-5"}), Kit: ws.Kit(), Session: ws.NewSession()}
//		out, err := a.Run(ctx, os.Args[1])
//		fmt.Println(out.Text, err)
//	}
//
//	// ask is asked about what needs approval. Without one it is refused.
//	func ask(_ context.Context, q *tool.Question) (tool.Answer, error) {
//		fmt.Printf("%s?\n%s\n%s\n[y/n] ", q.Job.Title, q.Verdict.Why(), q.Preview)
//		var word string
//		fmt.Scanln(&word)
//		return tool.Answer{Yes: word == "y"}, nil
//	}
//
// Who has a loop already makes each call of the model with ws.Kit().Call(ctx, &tool.Call{Name: …, Args: …, Session: …});
// what goes wrong in a call is in its result, for the model to read. What there is today, and what takes its place:
//
//   - tools of one's own, as structs with jsonschema tags: [tool.New] and [tool.NewOut] read the tags of the official
//     MCP SDK and of invopop; with a schema of one's own, [tool.Raw]
//   - an MCP server of one's own: [Workspace.Server]; servers of others: the part [helve/parts/mcp], mcp_servers of the
//     configuration, and [Workspace.Connect]
//   - questions about code, web pages, scripts: parts as well, which [Options] Parts names. [helve/parts/everything]
//     has all that the command line has, [Part] is one of the program's own
//   - calls of ripgrep, sed or bash: the tools grep, edit and bash of [Workspace.Kit]
//   - questions before dangerous calls: [Options] Ask, and Rules or the configuration, which say when
//   - the tools array of a provider: package [helve/engine/dialect]
//
// Tools of a program's own are made by [tool.New] and given to [Options] or [Workspace.Add]; rules of the configuration
// hold for them by name. What a model is told of the tools is in [Workspace.Kit], whose View lists them; [helve/agent]
// is the loop of a model and a kit, and [Workspace.Server] offers the same to MCP clients. [Workspace.Why] says what
// decides about a call without making it.
//
// Package [helve/tool] has the words: a Tool, a Call and its Result, and the Kit, whose method Call every call passes.
// docs/ARCHITECTURE.md draws what stands upon what.
package helve

import (
	"context"

	"helve/internal/version"
	"helve/internal/workspace"
	"helve/server"
)

// The words of a workspace.
type (
	// A Part is something that a workspace may have beside files, searches, bash, the policy and the history.
	Part = workspace.Part
	// A Site is a workspace that is being opened, as its parts see it.
	Site = workspace.Site
	// KitOptions are what a further kit of a workspace has of its own.
	KitOptions = workspace.KitOptions

	// An Explanation says what decides about a tool and about a call of it.
	Explanation = workspace.Explanation
	// A Reason is a verdict with the chain that led to it.
	Reason = workspace.Reason
	// A Step is one thing that had a say in a decision.
	Step = workspace.Step
	// A Foreseen is a call that a script is certain to make.
	Foreseen = workspace.Foreseen
	// A Finding is something in the configuration that does not do what somebody may have meant.
	Finding = workspace.Finding

	// A PastCall is a call that changed files, as the history has it.
	PastCall = workspace.PastCall
	// A PastFile is what a call did to one file.
	PastFile = workspace.PastFile
	// UndoOptions say what is taken back.
	UndoOptions = workspace.UndoOptions

	// Records are what is remembered of all workspaces.
	Records = workspace.Records
	// A RecordProof is what Records.Verify found.
	RecordProof = workspace.RecordProof
)

// LevelNotice is the level at which a workspace logs what a person should read once although nothing is wrong: which
// configuration waits for trust, which tools were put away. It stands between slog's Info and Warn.
const LevelNotice = workspace.LevelNotice

// ErrDamaged is of a file of helve's own that cannot be read.
var ErrDamaged = workspace.ErrDamaged

// Init is the first thing that the main function of a program does whose workspaces run commands: a copy of the program
// prepares each sandbox, and Init does not return in such a copy. Without it the tool bash refuses to run anything. A
// program that runs scripts calls Init of package helve/script/interpreter after it.
func Init() { workspace.Init() }

// Open opens a workspace: it reads the configuration, makes the tools and puts the rules around them. It starts no
// process; sources of further tools are listed by Connect or Follow. ctx bounds the opening only.
//
// The error says what is wrong with the folder or, with file and line, with the configuration. Nothing is left open
// then.
func Open(ctx context.Context, o Options) (*Workspace, error) {
	a, err := workspace.Open(ctx, o.inside())
	if err != nil {
		return nil, err
	}
	return &Workspace{a}, nil
}

// NewServer is Workspace.Server for a workspace that is opened when the first client wants it, such as one that the
// client's roots name. open is called until it succeeds, and then never again. Whoever opened the workspace closes it,
// after the server.
func NewServer(open func(context.Context, server.Client) (*Workspace, error), o server.Options) *server.Server {
	inside := func(ctx context.Context, c server.Client) (*workspace.Assembly, error) {
		w, err := open(ctx, c)
		if err != nil {
			return nil, err
		}
		return w.a, nil
	}
	return workspace.NewServer(inside, o)
}

// Version is the version of helve in this program, or the commit that it was built from; devel if neither is known.
func Version() string { return version.String() }

// Folder is a folder as a workspace sees it: absolute, links resolved.
func Folder(dir string) (string, error) { return workspace.Folder(dir) }

// SessionID tells whether a session can be called so: at most 64 letters, digits, dots, dashes and underscores.
func SessionID(id string) bool { return workspace.SessionID(id) }
