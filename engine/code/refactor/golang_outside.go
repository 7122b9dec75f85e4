package refactor

import (
	"slices"
	"strings"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// genericPackages are those of Go's library whose functions and types give back what they are given.
var genericPackages = meaning.WordSet("slices maps sync sync/atomic iter cmp unique weak errors")

// maxOutside bounds how many types are followed to say where an expression leads.
const maxOutside = 8

// leaves follows an expression through the types of the tree to a package of outside.
func (p *project) leaves(n, from int32, expr string, depth int) bool {
	if depth == 0 || strings.Contains(expr, ",") {
		return false
	}
	expr = strings.TrimLeft(expr, "[{")
	root := expr[:meaning.IdentEnd(expr, 0)]
	if is, known := p.imports(n, root, expr[len(root):]); known {
		return is
	}
	if expr == "error" || strings.HasPrefix(expr, "error.") {
		return true
	}
	for end := lastStep(expr, len(expr)); end > 0; end = lastStep(expr, end) {
		list, ok := surely(p.r.Eval(expr[:end], n, from))
		if !ok {
			continue
		}
		stays := func(y store.DefID) bool { return !p.typeLeaves(y, expr[end:], depth-1) }
		return len(list) > 0 && !slices.ContainsFunc(list, stays)
	}
	return false
}

// typeLeaves is leaves for what follows the definition y in an expression.
func (p *project) typeLeaves(y store.DefID, rest string, depth int) bool {
	d := p.r.Def(y)
	if d.Type == 0 || d.Kind.Type() && d.Kind != syntax.Alias {
		return false
	}
	typ, from := p.spelled(d.Type), d.Parent
	if d.Kind.Callable() {
		if !strings.HasPrefix(rest, "()") {
			return false
		}
		which := 0
		if rest = rest[2:]; rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			which, rest = int(rest[0]-'0'), rest[1:]
		}
		typ, from = meaning.Part(typ, which), y.Def
	}
	return p.leaves(y.File, from, typ+rest, depth)
}

// lastStep is where the last step of the first end bytes of an expression begins, 0 if there is none.
func lastStep(expr string, end int) int {
	for i := end - 1; i > 0; i-- {
		switch expr[i] {
		case '.', '(', '[', '^':
			return i
		}
	}
	return 0
}

// imports reports whether a file imports a package of that name from outside the tree, and whether what follows it
// cannot come back. known is false where the name is no package.
func (p *project) imports(n int32, local, rest string) (is, known bool) {
	for _, m := range p.r.Tree.ImportsOf(n) {
		if m.Local == 0 || p.spelled(m.Local) != local {
			continue
		}
		module := p.spelled(m.Module)
		if p.r.Module(m.Module, n).Kind == meaning.ModuleValue {
			return false, true
		}
		first, _, _ := strings.Cut(module, "/")
		if strings.Contains(first, ".") || genericPackages[module] {
			return strings.Count(rest, ".") <= 1 && !strings.Contains(rest, "("), true
		}
		return true, true
	}
	return false, false
}

// libraryInterfaces are the interfaces of Go's library that types of others implement, with their methods.
const libraryInterfaces = `error: Error
an error: Unwrap
an error: Is
an error: As
an error: Timeout
an error: Temporary
fmt.Stringer: String
fmt.GoStringer: GoString
fmt.Formatter: Format
fmt.Scanner: Scan
fmt.State: Write Width Precision Flag
fmt.ScanState: ReadRune UnreadRune SkipSpace Token Width Read
io.Reader: Read
io.Writer: Write
io.Closer: Close
io.Seeker: Seek
io.ReaderAt: ReadAt
io.WriterAt: WriteAt
io.ReaderFrom: ReadFrom
io.WriterTo: WriteTo
io.ByteReader: ReadByte
io.ByteScanner: UnreadByte ReadByte
io.ByteWriter: WriteByte
io.RuneReader: ReadRune
io.RuneScanner: UnreadRune ReadRune
io.StringWriter: WriteString
fs.FS: Open
fs.ReadDirFS: ReadDir
fs.ReadFileFS: ReadFile
fs.StatFS: Stat
fs.GlobFS: Glob
fs.SubFS: Sub
fs.File: Stat Read Close
fs.ReadDirFile: ReadDir
fs.DirEntry: Name IsDir Type Info
fs.FileInfo: Name Size Mode ModTime IsDir Sys
sort.Interface: Len Less Swap
heap.Interface: Push Pop Len
sync.Locker: Lock Unlock
context.Context: Deadline Done Err Value
flag.Value: String Set
flag.Getter: Get String Set
a flag: IsBoolFlag
a flag: Type String Set
json.Marshaler: MarshalJSON
json.Unmarshaler: UnmarshalJSON
json.MarshalerTo: MarshalJSONTo
json.UnmarshalerFrom: UnmarshalJSONFrom
encoding.TextMarshaler: MarshalText
encoding.TextUnmarshaler: UnmarshalText
encoding.TextAppender: AppendText
encoding.BinaryMarshaler: MarshalBinary
encoding.BinaryUnmarshaler: UnmarshalBinary
encoding.BinaryAppender: AppendBinary
xml.Marshaler: MarshalXML
xml.Unmarshaler: UnmarshalXML
xml.MarshalerAttr: MarshalXMLAttr
xml.UnmarshalerAttr: UnmarshalXMLAttr
xml.TokenReader: Token
gob.GobEncoder: GobEncode
gob.GobDecoder: GobDecode
yaml.Marshaler: MarshalYAML
yaml.Unmarshaler: UnmarshalYAML
toml.Marshaler: MarshalTOML
toml.Unmarshaler: UnmarshalTOML
an encoding: IsZero
http.Handler: ServeHTTP
http.RoundTripper: RoundTrip
http.ResponseWriter: Header Write WriteHeader
http.Flusher: Flush
http.Flusher: FlushError
http.Hijacker: Hijack
http.CloseNotifier: CloseNotify
http.Pusher: Push
http.CookieJar: SetCookies Cookies
http.FileSystem: Open
http.ResponseController: SetReadDeadline
http.ResponseController: SetWriteDeadline
http.ResponseController: EnableFullDuplex
http.RoundTripper: CloseIdleConnections
net.Conn: Read Write Close LocalAddr RemoteAddr SetDeadline SetReadDeadline SetWriteDeadline
net.PacketConn: ReadFrom WriteTo Close LocalAddr SetDeadline
net.Listener: Accept Close Addr
net.Addr: Network String
smtp.Auth: Start Next
driver.Driver: Open
driver.Connector: Connect Driver
driver.Conn: Prepare Close Begin
driver.Stmt: Close NumInput Exec Query
driver.Rows: Columns Close Next
driver.Result: LastInsertId RowsAffected
driver.Tx: Commit Rollback
driver.Valuer: Value
driver.Pinger: Ping
driver.SessionResetter: ResetSession
driver.Validator: IsValid
driver.ExecerContext: ExecContext
driver.QueryerContext: QueryContext
driver.ConnBeginTx: BeginTx
driver.ConnPrepareContext: PrepareContext
driver.NamedValueChecker: CheckNamedValue
slog.Handler: Enabled Handle WithAttrs WithGroup
slog.LogValuer: LogValue
slog.Leveler: Level
hash.Hash: Write Sum Reset Size BlockSize
hash.Hash32: Sum32 Write
hash.Hash64: Sum64 Write
hash.Cloner: Clone Write
cipher.Block: BlockSize Encrypt Decrypt
cipher.BlockMode: BlockSize CryptBlocks
cipher.Stream: XORKeyStream
cipher.AEAD: NonceSize Overhead Seal Open
crypto.Signer: Public Sign
crypto.Decrypter: Public Decrypt
crypto.SignerOpts: HashFunc
a key: Equal Public
image.Image: ColorModel Bounds At
draw.Image: Set At
color.Color: RGBA
color.Model: Convert
draw.Drawer: Draw
draw.Quantizer: Quantize
rand.Source: Int63 Seed
rand.Source64: Uint64 Int63
rand.Source: Uint64
ast.Visitor: Visit
ast.Node: Pos End
types.Importer: Import
types.ImporterFrom: ImportFrom Import
types.Type: Underlying String
reflect.Type: Kind Elem
debug.Reader: ReadAt
expvar.Var: String
rpc.ClientCodec: WriteRequest ReadResponseHeader ReadResponseBody Close
rpc.ServerCodec: ReadRequestHeader ReadRequestBody WriteResponse Close
template.Node: Type String Position
parse.Node: Copy Position
os.Signal: Signal String
compress.Resetter: Reset
text.Transformer: Transform Reset
text.Transformer: Span
testing.TB: Errorf Fatalf Helper
a test: FailNow Errorf
a test: Generate
a test: Helper`
