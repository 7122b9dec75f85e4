package serve

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"helve/cmd/internal/command"
	"helve/internal/version"
	"helve/internal/workspace"
	"helve/server"
	"helve/server/console"
	"helve/tool"
)

// byConsole is the value of --approval with which the person at the console is asked, and nobody else.
const byConsole = "console"

// consoleOptions are the flags of the console as they were written.
type consoleOptions struct {
	on        bool
	wait      time.Duration // 0: the default
	args      bool          // arguments and results of calls are kept for the page
	publicURL string        // where the page is reached through a proxy; "": at the address that is listened on

	behindProxy bool // it listens where others reach it, and what stands before it keeps that from being read
	tlsCert     string
	tlsKey      string
}

// consoleFlags declares what serve and console take alike.
func consoleFlags(f *pflag.FlagSet, o *consoleOptions) {
	f.DurationVar(&o.wait, "console-wait", 0,
		"how long an open console has for an answer (default: 5m, with --approval console as long as the call waits)")
	f.BoolVar(&o.args, "console-args", true,
		"let the console show arguments and results of calls, which may hold secrets")
	f.StringVar(&o.publicURL, "public-url", "",
		"the address under which a proxy offers this server, https://…: for the console's link and its cookie")
	f.BoolVar(&o.behindProxy, "behind-proxy", false,
		"listen with plain HTTP where others reach it: a proxy with TLS or a private network stands before it")
	f.StringVar(&o.tlsCert, "tls-cert", "",
		"speak HTTPS with the certificate in `FILE` (PEM, with its chain); read anew when it changes")
	f.StringVar(&o.tlsKey, "tls-key", "", "the key of the certificate, in `FILE` (PEM)")
}

// A watched workspace is one whose calls are counted, and with a console shown.
type watched struct {
	metrics console.Metrics
	hub     *console.Hub // nil: there is no console
	asks    bool         // the hub asks before or in place of the client

	mu     sync.Mutex
	ws     *workspace.Assembly // nil: it is not open yet
	served *server.HTTP        // nil: no clients come here
}

// newWatched reads the flags of the console. approval is that of the server, "" where there are no clients.
func newWatched(o consoleOptions, approval string) *watched {
	w := &watched{}
	if !o.on {
		return w
	}
	w.hub = &console.Hub{Offers: w.offers, Wait: o.wait, NoArgs: !o.args}
	w.asks = approval == "" || approval == "auto" || approval == byConsole
	return w
}

// options puts the counts and the hub around the calls of a workspace.
func (w *watched) options(o *workspace.Options) {
	o.Outermost = append(o.Outermost, w.metrics.Around)
	if w.hub == nil {
		return
	}
	o.Outermost = append([]func(tool.Caller) tool.Caller{w.hub.Around}, o.Outermost...)
	o.Watch = w.hub.Watch
	o.Reloaded = func(err error) { w.hub.Problem(configProblem(err)) }
	if w.asks {
		o.Clients.Ask = w.hub.Asker
	}
}

// opened notes the workspace, and tells pages when its tools change.
func (w *watched) opened(ctx context.Context, ws *workspace.Assembly) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ws = ws
	if w.hub == nil {
		return
	}
	if err := ws.Unreadable(); err != nil {
		w.hub.Problem("The configuration cannot be read, and everything is read-only: " + err.Error())
	}
	go func() {
		for range ws.Kit().Watch(ctx) {
			w.hub.Notice()
		}
	}()
}

func (w *watched) workspace() *workspace.Assembly {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ws
}

// configProblem is what pages say of a configuration that was read again.
func configProblem(err error) string {
	if err == nil {
		return ""
	}
	return "The configuration changed and cannot be used; what stood before still counts: " + err.Error()
}

// serves notes who answers clients.
func (w *watched) serves(h *server.HTTP) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.served = h
}

// open are the conversations with clients, the oldest first.
func (w *watched) open() []server.Session {
	w.mu.Lock()
	h := w.served
	w.mu.Unlock()
	if h == nil {
		return nil
	}
	return h.Sessions()
}

// end ends the conversation of an ID. It tells whether there was one.
func (w *watched) end(session string) bool {
	w.mu.Lock()
	h := w.served
	w.mu.Unlock()
	return h != nil && h.End(session)
}

// offers are the rules that a lasting yes may carry.
func (w *watched) offers(j *tool.Job) []string {
	ws := w.workspace()
	if ws == nil {
		return nil
	}
	return ws.Approvals().Offers(j)
}

// checkConsole tells of flags that do not go together.
func (o ServeOptions) checkConsole() error {
	c := o.consoleOptions
	switch {
	case c.on && o.http == "":
		return command.Usage("--console is a page for a browser: want --http, too, as in --http 127.0.0.1:8080")
	case o.Approval == byConsole && !c.on:
		return command.Usage("--approval console: want --console, too: there would be nobody to ask")
	case c.publicURL != "" && o.http == "":
		return command.Usage("--public-url is for clients over HTTP: want --http, too")
	case c.wait < 0:
		return command.Usage("--console-wait %v: want a time such as 2m", c.wait)
	}
	return c.checkTLS()
}

// A consolePage is the page of a server that listens.
type consolePage struct {
	*console.Handler
	link *linkPlace
}

// page makes the handler of the console. Close its link.
func (w *watched) page(s command.Streams, c command.Common, o consoleOptions, l net.Listener) (*consolePage, error) {
	base, secure, err := o.base(l)
	if err != nil {
		return nil, err
	}
	login := console.NewLogin()
	link, err := newLinkPlace(s, base, login, l)
	if err != nil {
		return nil, err
	}
	ws := w.workspace()
	h, err := w.hub.Handler(console.Options{
		Login:   login,
		Data:    &consoleData{s: s, c: c, w: w},
		Secure:  secure,
		Origins: o.origins(),
		Version: version.String(),
		Title:   s.Homely(ws.Dir()),
		NewLink: link.tell,
	})
	if err != nil {
		return nil, err
	}
	return &consolePage{h, link}, nil
}

// base is the console's address, and whether it comes over TLS. Its cookie must not travel in the open.
func (o consoleOptions) base(l net.Listener) (address string, secure bool, err error) {
	if o.publicURL != "" {
		u, err := o.public()
		if err != nil {
			return "", false, err
		}
		return u.Scheme + "://" + u.Host + console.Base, u.Scheme == "https", nil
	}
	host, _, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return "", false, err
	}
	switch {
	case loopback(host):
	case o.withTLS():
		return "", false, command.Usage("--console: %s is not what browsers call this server\n"+
			"hint: name the address that the certificate is for: --public-url https://NAME:PORT", host)
	default:
		return "", false, command.Usage(
			"--console: %s is not a loopback address, and the login would travel in the open\n"+
				"hint: --tls-cert and --tls-key; or put a proxy with TLS before it; "+
				"and name its address: --public-url https://…", host)
	}
	return o.scheme() + "://" + l.Addr().String() + console.Base, o.withTLS(), nil
}

// public reads --public-url.
func (o consoleOptions) public() (*url.URL, error) {
	u, err := url.Parse(o.publicURL)
	if err != nil || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil {
		return nil, command.Usage("--public-url %q: want https://HOST, without a path", o.publicURL)
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return nil, command.Usage("--public-url %q: want https://", o.publicURL)
	}
	u.Host = strings.ToLower(u.Host)
	return u, nil
}

// origins are those from which the page may come beside the server's own.
func (o consoleOptions) origins() []string {
	if o.publicURL == "" {
		return nil
	}
	u, err := o.public()
	if err != nil { // it was read before
		return nil
	}
	return []string{u.Scheme + "://" + u.Host}
}

// publish has a server answer to the name that a proxy gives it.
func (o consoleOptions) publish(ho *server.HTTPOptions) error {
	if o.publicURL == "" {
		return nil
	}
	u, err := o.public()
	if err != nil {
		return err
	}
	ho.Origins = append(ho.Origins, o.origins()...)
	if ho.Hosts != nil && !slices.Contains(ho.Hosts, u.Host) {
		ho.Hosts = append(ho.Hosts, u.Host)
	}
	return nil
}

// serveMetrics is the handler of /metrics, for those who may call tools.
func (w *watched) serveMetrics(admits func(*http.Request) bool) http.Handler {
	return http.HandlerFunc(func(to http.ResponseWriter, q *http.Request) {
		if !admits(q) {
			to.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(to, "unauthorized: want Authorization: Bearer TOKEN", http.StatusUnauthorized)
			return
		}
		if q.Method != http.MethodGet && q.Method != http.MethodHead {
			to.Header().Set("Allow", "GET")
			http.Error(to, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		to.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.metrics.WriteTo(to) // whoever is gone needs no answer
	})
}

// ConsoleCommand shows a workspace without serving it.
func ConsoleCommand(c *command.Line) *cobra.Command {
	var o consoleOptions
	var listen string
	cmd := &cobra.Command{
		Use:   "console",
		Short: "Show the tools, the record of calls and its charts in a browser",
		Long: `Show this workspace in a browser: its tools and who decides about them, what was approved for always,
the record of calls and charts of it, and a form to try a tool. A link is printed, or, where
standard error is no terminal, the file that has it. The link is good once, for two minutes. What a server does at this
moment is shown by its own console: helve serve --http ADDR --console.`,
		Example: `  helve console
  helve console --listen 127.0.0.1:9000`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.on = true
			return showConsole(cmd.Context(), c.Streams(), c.Flags.Common, o, listen)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "the address of the page, HOST:PORT")
	consoleFlags(cmd.Flags(), &o)
	return cmd
}

// showConsole serves the page until ctx is done.
func showConsole(
	ctx context.Context, s command.Streams, c command.Common, o consoleOptions, listen string,
) (err error) {
	if o.wait < 0 {
		return command.Usage("--console-wait %v: want a time such as 2m", o.wait)
	}
	if err := o.checkTLS(); err != nil {
		return err
	}
	at, err := addressOf("--listen", listen)
	if err != nil {
		return err
	}
	if err := at.inTheOpen(o.behindProxy || o.withTLS()); err != nil {
		return err
	}
	w := newWatched(o, "")
	opened, err := c.Options(s)
	if err != nil {
		return err
	}
	opened.Resident, opened.Tolerant = true, true
	w.options(&opened)
	opened.Ask = w.hub.Asker(nil)
	ws, err := command.OpenWith(ctx, opened)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ws.Close()) }()
	l, ho, err := listener(s, ServeOptions{http: listen, noAuth: true, pageOnly: true, consoleOptions: o})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	w.opened(ctx, ws)
	ws.Follow()
	ws.FollowConfig()
	var following sync.WaitGroup
	defer following.Wait()
	defer stop()
	following.Go(func() { followRecord(ctx, s, w.hub) })
	defer askOutside(ctx, s.Places().StateDir, w.hub)()
	page, err := w.page(s, c, o, l)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer func() { err = errors.Join(err, page.link.close()) }()
	// The gateway's handler stands before the page for its checks of Host and Origin. Nothing else is served.
	ho.Extra = map[string]http.Handler{console.Base: page.Handler}
	ho.Token = ""
	srv := ws.Server(server.Options{})
	defer func() { err = errors.Join(err, srv.Close()) }()
	h := srv.HTTP(ho)
	only := http.HandlerFunc(func(to http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/" {
			http.Redirect(to, q, console.Base, http.StatusFound)
			return
		}
		if !strings.HasPrefix(q.URL.Path, console.Base) {
			http.NotFound(to, q)
			return
		}
		h.ServeHTTP(to, q)
	})
	return listenUntil(ctx, s, listening{l, only, h, page}, page.link.tell)
}

// A listening server is what serves a handler until it is told to end.
type listening struct {
	net.Listener
	handler http.Handler
	mcp     *server.HTTP
	page    *consolePage // nil: there is none
}
