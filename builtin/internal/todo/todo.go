// Package todo holds the tools for the list of what is to be done.
package todo

//go:generate go test -run TestSchemasOfTodoAreThoseInferred -write-inferred

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"helve/builtin/internal/doc"
	"helve/builtin/internal/folders"
	"helve/builtin/internal/render"
	"helve/tool"
)

// maxTodoFile bounds what is read of a stored list: 200 items of 2,000 characters of four bytes, and JSON's own.
const maxTodoFile = 4 << 20

// todoReadIn says that todo_read has no parameters.
type todoReadIn struct{}

func (todoReadIn) String() string { return "read the todo list" }

// todoWriteIn are the parameters of todo_write.
type todoWriteIn struct {
	Todos []todoItem `json:"todos" jsonschema:"description=The whole list\\, in order,maxItems=200"`
}

func (todoWriteIn) String() string { return "write the todo list" }

// A todoItem is an item as a model writes it; what it leaves out is filled in.
type todoItem struct {
	ID       string `json:"id,omitempty" jsonschema:"description=Stays the same between calls,maxLength=64"`
	Content  string `json:"content" jsonschema:"description=What is to be done,minLength=1,maxLength=2000"`
	Status   string `json:"status,omitempty" jsonschema:"enum=pending,enum=in_progress,enum=completed,default=pending"`
	Priority string `json:"priority,omitempty" jsonschema:"description=Weight,enum=low,enum=medium,enum=high,default=medium"`
}

// Validate wants every id once, and on one line.
func (in todoWriteIn) Validate() error {
	seen := map[string]int{}
	for i, it := range in.Todos {
		if strings.ContainsFunc(it.ID, unicode.IsControl) {
			return fmt.Errorf("todos[%d].id: has a control character", i)
		}
		first, twice := seen[it.ID]
		if twice && it.ID != "" {
			return fmt.Errorf("todos[%d].id: %q is that of todos[%d], too", i, it.ID, first)
		}
		seen[it.ID] = i
	}
	return nil
}

var (
	_ tool.Stringer  = todoReadIn{}
	_ tool.Stringer  = todoWriteIn{}
	_ tool.Validator = todoWriteIn{}
)

// todoMeta is the metadata of both tools: how many items there are in each state.
type todoMeta struct {
	Count      int `json:"count"` // all items
	Pending    int `json:"pending"`
	InProgress int `json:"in_progress"`
	Completed  int `json:"completed"`
}

// Read shows the list of what is to be done: that of the session, or the workspace's own without one.
func Read(w *Todos) tool.Tool {
	s := tool.Spec{
		Name:     "todo_read",
		Aliases:  []string{"TodoRead", "read_todos", "todoread"},
		Title:    "Todo Read",
		Origin:   folders.Origin("todo_read"),
		Doc:      doc.Of("todo_read"),
		Kind:     tool.Read,
		Category: "task",
		Tags:     []string{"todo", "task", "plan"},
	}
	return tool.Renders[todoData](tool.Plan(s, func(_ context.Context, c *tool.Call, _ todoReadIn) (*tool.Job, error) {
		return &tool.Job{Effects: []tool.Effect{}, Run: func(context.Context) (*tool.Result, error) {
			items, err := w.todos(c.Session).load()
			if err != nil {
				return nil, err
			}
			return todoResult(false, items), nil
		}}, nil
	}))
}

// Write replaces the list. It is kept beside the session's other state, not in the workspace, so nobody is asked.
func Write(w *Todos) tool.Tool {
	s := tool.Spec{
		Name:      "todo_write",
		Aliases:   []string{"TodoWrite", "write_todos", "todowrite", "update_todos", "update_plan"},
		Title:     "Todo Write",
		Origin:    folders.Origin("todo_write"),
		Doc:       doc.Of("todo_write"),
		Kind:      tool.Write,
		Category:  "task",
		Tags:      []string{"todo", "task", "plan"},
		Params:    todoParams(),
		Translate: todoWords(),
	}
	plan := func(_ context.Context, c *tool.Call, in todoWriteIn) (*tool.Job, error) {
		items := completeTodos(in.Todos)
		kept := []tool.Effect{{Kind: tool.State, Target: "todos"}}
		return &tool.Job{Effects: kept, Run: func(ctx context.Context) (*tool.Result, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := w.todos(c.Session).save(items); err != nil {
				return nil, err
			}
			return todoResult(true, items), nil
		}}, nil
	}
	return tool.Renders[todoData](tool.Plan(s, plan))
}

// completeTodos gives every item what it left out: the first free number as its id, pending, medium.
func completeTodos(in []todoItem) []tool.Todo {
	taken := map[string]bool{}
	for _, it := range in {
		taken[it.ID] = true
	}
	next := 1 // ids stay what they were: a model refers to them
	out := make([]tool.Todo, 0, len(in))
	for _, it := range in {
		for it.ID == "" {
			id := strconv.Itoa(next)
			if !taken[id] {
				it.ID = id
			}
			next++
		}
		out = append(out, tool.Todo{
			ID:       it.ID,
			Content:  it.Content,
			Status:   or(it.Status, "pending"),
			Priority: or(it.Priority, "medium"),
		})
	}
	return out
}

// or is s, or another text where s is empty.
func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// todoData is a list.
type todoData struct {
	Todos []tool.Todo `json:"todos"`
	Saved bool        `json:"saved,omitempty" jsonschema:"It was written just now"`
}

// meta counts the items by their state.
func (d todoData) meta() todoMeta {
	m := todoMeta{Count: len(d.Todos)}
	for _, it := range d.Todos {
		switch it.Status {
		case "completed":
			m.Completed++
		case "in_progress":
			m.InProgress++
		default:
			m.Pending++
		}
	}
	return m
}

// Text tells the model the items, not only their number.
func (d todoData) Text() string {
	did, m := "", d.meta()
	if d.Saved {
		did = "Saved. "
	}
	if m.Count == 0 {
		return did + "The todo list is empty."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s: %d completed, %d in progress, %d pending.",
		did, render.Quantity(m.Count, "todo"), m.Completed, m.InProgress, m.Pending)
	for _, it := range d.Todos {
		fmt.Fprintf(&b, "\n%s. [%s] %s (%s)", it.ID, it.Status, it.Content, it.Priority)
	}
	if m.InProgress > 1 {
		fmt.Fprintf(&b, "\nNote: %d items are in progress; one at a time is easier to follow.", m.InProgress)
	}
	return b.String()
}

// todoResult is the list, which a person sees with boxes to check.
func todoResult(saved bool, items []tool.Todo) *tool.Result {
	d := todoData{Todos: items, Saved: saved}
	if items == nil { // a program wants a list, not null
		d.Todos = []tool.Todo{}
	}
	res := tool.Render(d).WithMeta(d.meta())
	res.Display = tool.Todos{Items: items}
	return res
}

// Todos are the lists of a workspace. They are safe for concurrent use.
type Todos struct {
	*folders.Folders
	memory memoryStore // where there is no state folder
}

// New are the lists of the workspace with these folders.
func New(f *folders.Folders) *Todos { return &Todos{Folders: f} }

// A todoList is where one list is kept.
type todoList struct {
	store tool.Store
	err   error
	name  string
}

// todos is the list of a session in this workspace, or the workspace's own where there is no session.
func (w *Todos) todos(s *tool.Session) todoList {
	h := sha256.Sum256([]byte(w.Dir()))
	l := todoList{name: "todos-" + hex.EncodeToString(h[:12]) + ".json"}
	switch {
	case s != nil:
		l.store, l.err = s.Blobs()
	case w.State != "":
		l.store = tool.DirStore(filepath.Join(w.State, "todos"))
	default:
		l.store = &w.memory
	}
	return l
}

// load reads the list; one that was never written is empty. A damaged one is an error that says how to go on, and
// stays as it is.
func (l todoList) load() (items []tool.Todo, err error) {
	if l.err != nil {
		return nil, l.err
	}
	b, err := l.store.Get(l.name)
	if folders.IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer b.Close()
	if b.Size() <= maxTodoFile { // whoever made it larger was not this tool
		err = json.NewDecoder(io.NewSectionReader(b, 0, b.Size())).Decode(&items)
	} else {
		err = errors.New("it is too large")
	}
	if err != nil {
		return nil, tool.Errorf(tool.Execution, "the todo list cannot be read: %v", err).
			WithHint("todo_write replaces it.")
	}
	return items, nil
}

// save replaces the list as a whole.
func (l todoList) save(items []tool.Todo) error {
	if l.err != nil {
		return l.err
	}
	b, err := json.Marshal(items)
	if err != nil {
		return err
	}
	_, err = l.store.Put(l.name, bytes.NewReader(b))
	return err
}

// memoryStore keeps blobs while the workspace is open, for one that has no state folder. The zero value is ready.
type memoryStore struct {
	mu    sync.Mutex
	blobs map[string][]byte
}

var _ tool.Store = (*memoryStore)(nil)

// memoryBlob is a blob in memory, which has nothing to close.
type memoryBlob struct{ *bytes.Reader }

func (memoryBlob) Close() error { return nil }

// Put keeps a blob.
func (m *memoryStore) Put(name string, r io.Reader) (int64, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxTodoFile))
	if err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.blobs == nil {
		m.blobs = map[string][]byte{}
	}
	m.blobs[name] = b
	return int64(len(b)), nil
}

// Get opens a blob.
func (m *memoryStore) Get(name string) (tool.Blob, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.blobs[name]
	if !ok {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return memoryBlob{bytes.NewReader(b)}, nil
}

// Delete forgets a blob.
func (m *memoryStore) Delete(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.blobs, name)
	return nil
}
