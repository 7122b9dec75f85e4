// Package fetch holds the tool that gets web pages.
package fetch

//go:generate go test -run TestSchemasOfFetchAreThoseInferred -write-inferred

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"helve/builtin/internal/doc"
	"helve/builtin/internal/folders"
	"helve/builtin/internal/render"
	"helve/builtin/internal/web"
	"helve/tool"
)

const (
	// fetchShown is how many characters of a page the model gets: some 4,000 tokens; the session keeps the rest.
	fetchShown = 15_000
	// errorShown is how much of a page that reports an error is repeated: enough to see why.
	errorShown = 1000
)

// A Summarizer answers a question from a text: the agent's model, where there is one. It is safe for concurrent
// use.
type Summarizer interface {
	Summarize(ctx context.Context, prompt, text string) (string, error)
}

// fetchIn are the parameters of fetch.
type fetchIn struct {
	URL    string `json:"url" jsonschema:"description=http or https,minLength=1,maxLength=8192"`
	Prompt string `json:"prompt,omitempty" jsonschema:"description=What you want to know: only what fits comes back,maxLength=4000"`
}

// fetchMeta is the metadata of fetch.
type fetchMeta struct {
	URL       string `json:"url"`                    // as it was asked for
	FinalURL  string `json:"final_url,omitempty"`    // after redirects on its host
	Status    int    `json:"status"`                 // of HTTP
	Type      string `json:"content_type,omitempty"` // Content-Type as sent
	Bytes     int    `json:"bytes"`                  // of the page as it was read, at most 8 MiB
	Chars     int    `json:"characters"`             // of the text made of it
	Title     string `json:"title,omitempty"`        // of an HTML page
	Cached    bool   `json:"cached,omitempty"`       // it was not asked for again
	Truncated bool   `json:"truncated,omitempty"`    // the text was longer than is shown
	Redirect  string `json:"redirect,omitempty"`     // another host, which was not asked
	Spill     string `json:"spill,omitempty"`        // where read and grep find the whole text
}

// A Fetcher gets pages. It is safe for concurrent use.
type Fetcher struct {
	*folders.Folders
	web        *web.Client
	Summarizer Summarizer // nil: the passages of the page that have the prompt's words answer
}

// New starts nothing.
func New(f *folders.Folders, s Summarizer, o web.Options) *Fetcher {
	return &Fetcher{Folders: f, web: web.New(o), Summarizer: s}
}

// Tool gets a web page as text: HTML as Markdown, PDF as its text, pictures as pictures. It reaches the public
// network only, unless a person allowed a host by name.
func Tool(w *Fetcher) tool.Tool {
	s := tool.Spec{
		Name:      "fetch",
		Aliases:   []string{"WebFetch", "web_fetch", "fetch_url", "read_url"},
		Title:     "Web Fetch",
		Origin:    folders.Origin("fetch"),
		Doc:       doc.Of("fetch"),
		Kind:      tool.Net,
		ReadOnly:  true,
		Category:  "web",
		Tags:      []string{"web", "fetch", "http"},
		Params:    fetchParams(),
		Translate: fetchWords(),
	}
	return tool.Renders[fetchData](tool.Plan(s, func(_ context.Context, c *tool.Call, in fetchIn) (*tool.Job, error) {
		t, err := w.web.Parse(strings.TrimSpace(in.URL))
		if err != nil {
			return nil, fetchError(err)
		}
		f := &fetching{
			w:      w,
			call:   c,
			target: t,
			prompt: strings.TrimSpace(in.Prompt),
		}
		return &tool.Job{
			Title:     "fetch " + t.String(),
			Effects:   []tool.Effect{{Kind: tool.Net, Target: t.Host}},
			Signature: t.String(),
			Rule:      "Fetch:" + t.Host,
			Preview: func(context.Context) (tool.Display, error) {
				return tool.Summary("GET " + t.String()), nil
			},
			Run: f.run,
		}, nil
	}))
}

// fetchError gives an error of the web its code: what is never fetched, what is no URL, what took too long.
func fetchError(err error) *tool.Error {
	out := tool.Errorf(tool.Execution, "%w", err)
	switch {
	case errors.Is(err, web.ErrForbidden):
		out.Code = tool.Permission
		out.Hint = "Only public hosts are fetched; the user can allow a private one (fetch.allow_private)."
	case errors.Is(err, web.ErrBadURL):
		out.Code = tool.Validation
	case errors.Is(err, context.DeadlineExceeded):
		out.Code = tool.TimedOut
	}
	return out
}

// A fetching is one call of fetch, understood.
type fetching struct {
	w      *Fetcher
	call   *tool.Call
	target *web.Target
	prompt string // what the model wants to know; "": the page
}

// run gets the page. A redirect to another host is a result, not an error: the model asks again, and the person is
// asked about that host.
func (f *fetching) run(ctx context.Context) (*tool.Result, error) {
	page, err := f.w.web.Get(ctx, f.target)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, f.unreached(fetchError(err))
	case page.Moved != "":
		return f.moved(page), nil
	}
	doc, err := readPage(ctx, page)
	meta := fetchMeta{
		URL:      f.target.String(),
		FinalURL: page.URL,
		Status:   page.Status,
		Type:     page.Type,
		Bytes:    len(page.Body),
		Cached:   page.Cached,
	}
	if page.Status/100 != 2 {
		return nil, failedPage(f.target, page, doc)
	}
	if err != nil {
		return nil, tool.Errorf(tool.Execution, "%s: %w", f.target, err)
	}
	meta.Title, meta.Chars = doc.title, utf8.RuneCountInString(doc.text)
	if doc.image != nil {
		data := f.data(meta)
		data.Picture = true
		res := &tool.Result{Parts: doc.image, Display: tool.Summary("fetched " + f.target.String())}
		return res.WithData(data).WithMeta(meta), nil
	}
	if page.Cut && f.call.Whole > 0 {
		const larger = "%s is larger than the %d bytes that are read of a page"
		return nil, tool.Errorf(tool.Execution, larger, f.target, len(page.Body))
	}
	return f.result(ctx, page, doc, meta), nil
}

// data is what is known of a page without its text.
func (f *fetching) data(m fetchMeta) fetchData {
	return fetchData{
		URL:      m.URL,
		FinalURL: m.FinalURL,
		Status:   m.Status,
		Type:     m.Type,
		Bytes:    m.Bytes,
		Title:    m.Title,
		Moved:    m.Redirect,
		Extent:   render.ExtentOf(),
	}
}

// unreached says where a proxy may be what is missing: none is used, since it would dial what nobody has judged.
func (f *fetching) unreached(e *tool.Error) error {
	if e.Code == tool.Permission || e.Code == tool.Validation {
		return e
	}
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"} {
		if f.w.Getenv(name) != "" {
			return e.WithHint("%s is set, but fetch goes through no proxy: it dials only addresses that it has judged.",
				name)
		}
	}
	return e
}

// moved hands a redirect to another host back: that host was not approved.
func (f *fetching) moved(page *web.Page) *tool.Result {
	meta := fetchMeta{
		URL:      f.target.String(),
		Status:   page.Status,
		Redirect: page.Moved,
	}
	return tool.Render(f.data(meta)).WithSummary("redirected to %s", page.Moved).WithMeta(meta)
}

// failedPage is the error for an answer that is none of success, with the beginning of what the server says about
// it.
func failedPage(t *web.Target, page *web.Page, doc *document) error {
	e := tool.Errorf(tool.Execution, "%s: %d %s", t, page.Status, http.StatusText(page.Status))
	e.Details = map[string]any{"status": page.Status}
	if doc != nil && doc.text != "" {
		head, _ := cutRunes(doc.text, errorShown)
		return e.WithHint("%s", head)
	}
	return e
}

// result is the text, or what of it fits the prompt.
func (f *fetching) result(ctx context.Context, page *web.Page, doc *document, meta fetchMeta) *tool.Result {
	var notes []string
	text := doc.text
	if page.Cut {
		notes = append(notes, fmt.Sprintf("the page is larger than the %d bytes that were read", len(page.Body)))
	}
	if f.prompt != "" {
		var note string
		text, note = f.answer(ctx, text)
		if note != "" {
			notes = append(notes, note)
		}
	}
	data := f.data(meta)
	larger, cut := "", ""
	if page.Cut {
		larger = "the page is larger than is read"
	}
	data.Content = text
	if f.call.Whole == 0 {
		data.Content, data.Missing = cutRunes(text, fetchShown)
	}
	if data.Missing > 0 {
		meta.Truncated = true
		cut = "the text is cut"
		where := "ask for a part with prompt"
		if f.call.Session != nil {
			ref, err := f.call.Session.Keep(strings.NewReader(text))
			if err == nil {
				meta.Spill, data.Spill = ref.ID, ref.ID
				where = fmt.Sprintf("the whole is kept as %s for read and grep", ref.ID)
			}
		}
		notes = append(notes, fmt.Sprintf("cut: %d characters more; %s", data.Missing, where))
	}
	data.Notes, data.Extent = notes, render.ExtentOf(larger, cut)
	res := tool.Render(data).WithMeta(meta)
	return res.WithSummary("fetched %s (%s)", f.target, render.Size(int64(len(page.Body))))
}

// answer is what the page says about the prompt: a model's words, or the passages that have the prompt's words.
func (f *fetching) answer(ctx context.Context, text string) (answer, note string) {
	s := f.w.Summarizer
	if s != nil {
		out, err := s.Summarize(ctx, f.prompt, text)
		if err == nil {
			return out, "this is an answer made from the page, not its text"
		}
	}
	return passages(text, f.prompt)
}

// cutRunes is the first n characters, cut at a line end if one is near, and how many are left.
func cutRunes(s string, n int) (string, int) {
	if utf8.RuneCountInString(s) <= n {
		return s, 0
	}
	at := 0
	for i := range s {
		n--
		if n < 0 {
			at = i
			break
		}
	}
	if i := strings.LastIndexByte(s[:at], '\n'); i > at*3/4 {
		at = i + 1
	}
	return s[:at], utf8.RuneCountInString(s[at:])
}
