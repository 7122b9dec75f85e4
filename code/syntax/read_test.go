package syntax

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sample is a text with what a reader must find in it.
type sample struct {
	name string // what is hard about it
	path string
	src  string
	defs string // "kind Qualified", one a line, in order
	refs string // "use qualifier.name", some of them
	not  string // references that would be wrong
}

// qualify names a definition with what it stands in.
func qualify(f *File, i int) string {
	d := &f.Definitions[i]
	switch {
	case d.Owner != "":
		return d.Owner + "." + d.Name
	case d.Parent >= 0:
		return qualify(f, d.Parent) + "." + d.Name
	}
	return d.Name
}

func describe(f *File) (defs, refs []string) {
	for i, d := range f.Definitions {
		defs = append(defs, d.Kind.String()+" "+qualify(f, i))
	}
	for _, u := range f.References {
		refs = append(refs, strings.TrimSpace(u.Use.String()+" "+strings.TrimPrefix(u.Qualifier+"."+u.Name, ".")))
	}
	return defs, refs
}

func fields(s string) []string {
	var list []string
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

func (s sample) run(t *testing.T) {
	t.Helper()
	f := Extract(s.path, []byte(s.src))
	defs, refs := describe(&f)
	if diff := cmp.Diff(fields(s.defs), defs); s.defs != "" && diff != "" {
		t.Errorf("definitions in %s (-want +got):\n%s\nof\n%s", s.path, diff, s.src)
	}
	has := map[string]bool{}
	for _, r := range refs {
		has[r] = true
	}
	for _, want := range fields(s.refs) {
		if !has[want] {
			t.Errorf("%s: no reference %q among\n  %s", s.path, want, strings.Join(refs, "\n  "))
		}
	}
	for _, bad := range fields(s.not) {
		if has[bad] {
			t.Errorf("%s: wrong reference %q", s.path, bad)
		}
	}
	check(t, s.path, []byte(s.src))
}

func runSamples(t *testing.T, list []sample) {
	t.Helper()
	for _, s := range list {
		t.Run(s.name, s.run)
	}
}

func TestReadersFindWhatAFileDefines(t *testing.T) {
	runSamples(t, []sample{
		{name: "go", path: "a.go", src: `package a

import "io"

type Server struct {
	*Base
	log  io.Writer
	byID map[string]*Client
}

func (s *Server) Serve(r io.Reader) (n int, err error) {
	c := s.byID["x"]
	c.Close()
	for _, d := range s.byID {
		d.Send(n)
	}
	h := func() *Client { return nil }
	h().Close()
	switch v := any(r).(type) {
	case *Client:
		v.Close()
	}
	return s.log.Write(nil)
}

const (
	One = iota
	Two
)

type Opener interface{ Open() (*Client, error) }

func Use(o Opener) { c, err := o.Open(); _ = err; c.Close(); Map[int](nil) }
`, defs: `struct Server
field Server.Base
field Server.log
field Server.byID
method Server.Serve
constant One
constant Two
interface Opener
method Opener.Open
function Use`, refs: `inherit Base
call Server.byID[].Close
call Client.Close
call Server.log.Write
call Opener.Open
call Opener.Open().Close
call Map`, not: `use c
use v
use _`},
		{name: "python", path: "a.py", src: `import os.path as p
from .b import Thing as T, other

class A(T, metaclass=M):
    """class Fake: pass"""
    limit = 3

    @property
    def thing(self) -> "T":
        return self._thing

    def __init__(self, x: T, *args, **kw):
        self._thing = x
        self.parts: list[T] = [T()]
        def inner():
            return x.go()
        inner()

    async def run(self):
        for q in self.parts:
            q.stop()
        with open(p) as f:
            f.read()
        super().run()
        return [y.go() for y in self.parts if other(y)]

def constructor(__proto__=1): return A(__proto__)
`, defs: `class A
field A.limit
method A.thing
method A.__init__
field A._thing
field A.parts
function A.__init__.inner
method A.run
function constructor`, refs: `inherit T
call T.go
call inner
call A.parts[].stop
call A^.run
call other
call A`, not: `use y
use q
call Fake`},
		{name: "c", path: "a.c", src: `#include <stdio.h>
#include "b.h"
#define MAX(a, b) ((a) > (b) ? (a) : limit(b))
struct point { int x, *y; void (*draw)(struct point *p); };
typedef struct { struct point p; } box_t;
enum color { RED, GREEN = 2 };
static int helper(struct point *p) __attribute__((unused));
int total = 3, other[4];
#if 0
int gone(void) { return 0; }
#endif
#ifdef A
static int pick(int a) {
#else
static int pick(long a) {
#endif
	return a;
}
SYSCALL(open, int x)
static const struct ops table = { .open = helper, };
int main(int argc, char **argv)
{
	struct point *q = make(argc);
	box_t b;
	q->draw(q);
	b.p.x = MAX(1, 2);
	return helper(q);
}
`, defs: `macro MAX
struct point
field point.x
field point.y
field point.draw
struct box_t
field box_t.p
enum color
member color.RED
member color.GREEN
variable total
variable other
function pick
function pick
variable table
function main`, refs: `call limit
call point.draw
use box_t.p.x
call MAX
use helper
call helper`, not: `call gone
use q
use argc`},
		{name: "c++", path: "a.cpp", src: `#include "a.h"
namespace net {
template <typename T> class Box : public Base, private detail::Other<T> {
 public:
  Box() : x_(1), y_{2} {}
  ~Box();
  virtual int size() const = 0;
  T operator[](int i) const { return data_[i]; }
 private:
  std::vector<Item*> items_;
  Item one_;
};
}
using Alias = net::Box<int>;
int net::Box::size() const {
  for (auto* i : items_) i->go();
  auto f = [this](int x) { return one_.go(x); };
  Item local(3);
  local.go();
  const char* s = R"x(class Fake {)x";
  return static_cast<int>(1'000) + sizeof(Item);
}
`, defs: `module net
class net.Box
method net.Box.Box
method net.Box.~Box
method net.Box.size
method net.Box.operator[]
field net.Box.items_
field net.Box.one_
type Alias
method net.Box.size`, refs: `inherit Base
inherit detail.Other
call Item.go
call one_.go
use Item`, not: `use local
call Fake`},
	})
}

func TestReadersFindWhatScriptsDefine(t *testing.T) {
	runSamples(t, []sample{
		{name: "typescript", path: "a.ts", src: "import def, { A as B, type C } from './m';\n" + `
export abstract class Store<T extends C> extends B implements I, J<T> {
  private items: Map<string, T> = new Map();
  static count = 0;
  constructor(private readonly api: Api, public n?: number) { super(); this.late = new Late(); }
  get size(): number { return this.items.size }
  async find(id: string): Promise<T[]> {
    const { user, other: o } = await this.api.load(id);
    user.go(); o.go();
    return this.items.get(id)!.all();
  }
  handle = (e: Event) => { e.stop(); };
}
export interface I { name: string; open(x: C): Late; readonly deep?: { a: B } }
type U = { kind: 'x'; run(): void } | Late;
enum E { One, Two = 'x' }
namespace N { export function f() {} }
export const make = async <T,>(x: T): Promise<Late> => { const l = new Late(); return l };
const plain = 3, text = ` + "`${plain} ${make(`x ${text}`)} class Fake {`" + `;
export default function main(a: Late = make(1), ...rest: B[]) {
  rest[0].go();
  if (a < plain && plain > 2) a.go();
  const re = /[/"'{]class X {/g.test("x");
}
`, defs: `class Store
field Store.items
field Store.count
constructor Store.constructor
field Store.api
field Store.n
field Store.late
method Store.size
method Store.find
method Store.handle
interface I
field I.name
method I.open
field I.deep
type U
field U.kind
method U.run
enum E
member E.One
member E.Two
module N
function N.f
function make
constant plain
constant text
function main`, refs: `inherit B
inherit I
inherit J
call Store.api.load
call Store.api.load().user.go
call Store.api.load().other.go
call Event.stop
call Late
call make
call [B][].go
call Late.go`, not: `use user
call Fake
use rest`},
		{name: "jsx", path: "a.jsx", src: `const React = require('react');
export function App({ items }) {
  const [n, setN] = useState(0);
  return <div className="it's">
    Don't {items.map(i => <Item key={i.id} onClick={() => setN(n + 1)}>{label(i)}</Item>)} class Fake {'{'}
  </div>;
}
function constructor() { return { __proto__: null, hasOwn() { return 1 }, get x() { return App() } } }
module.exports.helper = function () { App(); };
Old.prototype.run = function () { this.go(); };
`, defs: `function App
function constructor
method constructor.hasOwn
method constructor.x
function helper
method Old.run`, refs: `call useState
use Item
call label
call App`, not: `use i
call Fake`},
		{name: "php", path: "a.php", src: `<html><?php
namespace App\Model;
use Lib\{Base, Other as O};
#[Attr]
abstract class User extends Base implements \Countable {
    use Loud;
    const LIMIT = 3;
    private ?O $other = null;
    public function __construct(protected Repo $repo) { parent::__construct(); }
    public static function make(): self { $u = new User(new Repo()); return $u->save(); }
    public function save(): static { $this->repo->store($this); $this->other?->go(); return $this; }
}
function helper(User $u) { $s = <<<X
  class Fake {}
  X; return $u->save(); }
?> class Fake2 {}
<?= helper($x) ?>`, defs: `class User
constant User.LIMIT
field User.other
constructor User.__construct
field User.repo
method User.make
method User.save
function helper`, refs: `inherit Base
inherit Countable
inherit Loud
call User.repo.store
call User.other.go
call User.save
call helper`},
		{name: "ruby", path: "a.rb", src: `require 'set'
module Outer
  class Dog < Animal::Base
    include Loud
    attr_reader :name, :age
    LIMIT = 3
    def initialize(name); @name = name; @tail = Tail.new; end
    def bark?(times = 1)
      times.times do |i|
        @tail.wag(i) unless i == 0
      end
      text = <<~TEXT
        class Fake
      TEXT
      puts "#{name} end" if ready?
    end
    def self.make = new("x")
    class << self
      def other; Tail.new.wag; end
    end
  end
end
def top() = Outer::Dog.make
`, defs: `module Outer
class Outer.Dog
field Outer.Dog.name
field Outer.Dog.age
constant Outer.Dog.LIMIT
method Outer.Dog.initialize
field Outer.Dog.@name
field Outer.Dog.@tail
method Outer.Dog.bark?
method Outer.Dog.make
method Outer.Dog.other
function top`, refs: `inherit Animal.Base
inherit Loud
call Dog.@tail.wag
call ready?
call Tail.wag
call Outer.Dog.make`},
		{name: "shell", path: "run.sh", src: `#!/bin/bash
. ./lib.sh
# comment() {
build() {
  local x=$(compile "$1 $(date)")
  cat <<'EOF'
fake() {
EOF
  if check "$x"; then build_one || fail; fi
}
function clean { rm -rf out; }
build "$@"
`, defs: `function build
function clean`, refs: `call compile
call check
call build_one
call fail
call build`, not: `call fake`},
	})
}

func TestReadersFindWhatTypedLanguagesDefine(t *testing.T) {
	runSamples(t, []sample{
		{name: "java", path: "A.java", src: `package a.b;
import java.util.List;
import static c.D.run;
@Deprecated public final class A<T extends Comparable<T>> extends Base implements I, J<T> {
  private static final int LIMIT = 3, OTHER[] = {1};
  private final List<Item> items = new ArrayList<>();
  static { run(); }
  public A(Item first) throws E { super(first); this.items.add(first); }
  public <R> R map(Fn<T, R> f) {
    for (Item i : items) { i.go(); }
    var x = new Item("class Fake {");
    x.go();
    Runnable r = () -> x.stop();
    Object o = new Base() { @Override public void hook() { items.clear(); } };
    try (Item y = open()) { y.go(); } catch (E | F e) { e.print(); }
    String s = """
      class Fake2 { " }
      """;
    return ((Item) o).cast();
  }
  record Point(int x, Item y) { Point { check(); } }
  enum Color { RED(1), GREEN { void f() {} }; private final int n; Color(int n) { this.n = n; } }
  @interface Marker { String value() default "x"; }
}
`, defs: `class A
field A.LIMIT
field A.OTHER
field A.items
constructor A.A
method A.map
method A.map.hook
class A.Point
field A.Point.x
field A.Point.y
constructor A.Point.Point
enum A.Color
member A.Color.RED
member A.Color.GREEN
method A.Color.GREEN.f
field A.Color.n
constructor A.Color.Color
interface A.Marker
method A.Marker.value`, refs: `inherit Base
inherit I
inherit J
call run
call Item.go
call Item.stop
call open
call Item
call Base`},
		{name: "c#", path: "A.cs", src: `using System.Text;
namespace App.Core;
[Serializable]
public partial class Store<T> : Base<T>, IStore where T : class, new()
{
    private readonly Dictionary<string, Item> items = new();
    public string Name { get; set; } = "x";
    public int Count => items.Count;
    public event Action Changed;
    public Store(Item first) : base(first) { Add(first); }
    public async Task<Item> FindAsync(string id) { var i = await Load(id); i.Go(); foreach (var x in all) x.Go(); return i; }
    public static Store<T> operator +(Store<T> a, Store<T> b) => a;
    private Item Load(string id) { Item it = new Item(@"class ""Fake {"); return it.Self($"{it.Name["x"]} class F {{"); }
}
public record Point(int X, Item Y);
public interface IStore { Item Get(int id); }
public enum Color { Red = 1, Green }
public delegate void Handler(int x);
`, defs: `class Store
field Store.items
field Store.Name
field Store.Count
field Store.Changed
constructor Store.Store
method Store.FindAsync
method Store.+
method Store.Load
class Point
field Point.X
field Point.Y
interface IStore
method IStore.Get
enum Color
member Color.Red
member Color.Green
type Handler`, refs: `inherit Base
inherit IStore
call Load().Go
call Item
call Item.Self`},
		{name: "rust", path: "a.rs", src: `use crate::net::{Client, self as n, io::*};
#[derive(Debug)]
pub struct Server<'a, T: Clone + Send> { pub(crate) clients: Vec<Client>, name: &'a str, t: T }
pub enum State { Idle, Busy(Client), Named { who: Client } }
pub trait Serve { const N: usize; fn serve(&self) -> Result<Client, Error>; }
impl<'a, T> Serve for Server<'a, T> where T: Clone {
    fn serve(&self) -> Result<Client, Error> {
        for c in self.clients.iter() { c.go(); }
        let first: &Client = &self.clients[0];
        first.send('x', b'\'', r#"fn fake() {"#)?;
        let made = Client::new();
        made.go();
        if let Some(x) = find() { x.go(); }
        let f = |a: Client, b| a.send(b);
        match first { Client { .. } => log!("{}", first.id()), _ => {} }
        Ok(made)
    }
}
macro_rules! log { ($x:expr) => { } }
mod inner { pub fn helper() -> super::Client { super::make() } }
static LIMIT: u32 = 3;
type Alias = Server<'static, u8>;
/* outer /* nested fn fake2() {} */ */
fn main() { let s = Alias::build(); s.serve(); inner::helper().go(); }
`, defs: `struct Server
field Server.clients
field Server.name
field Server.t
enum State
member State.Idle
member State.Busy
member State.Named
field State.Named.who
interface Serve
constant Serve.N
method Serve.serve
method Server.serve
macro log
module inner
function inner.helper
variable LIMIT
type Alias
function main`, refs: `inherit Serve
call Client.send
call Client.new
call Client.new().go
call Client.id
call Alias.build().serve
call inner.helper
call inner.helper().go`, not: `use x
call fake`},
		{name: "kotlin", path: "a.kt", src: `package a.b
import c.d.Item
import e.*
data class Store<T : Any>(val api: Api, private var n: Int = 0) : Base(n), IStore by api {
    private val items: List<Item> = listOf()
    companion object { const val LIMIT = 3; fun make(): Store<Item> = Store(Api()) }
    override suspend fun find(id: String): Item? {
        for (i in items) { i.go() }
        val x = api.load(id)
        x?.go()
        return items.map { it.copy() }.first { y -> y.ok("${y["a"]} class Fake {") }
    }
    init { start() }
    enum class Color(val n: Int) { RED(1), GREEN(2); fun f() = n }
}
fun String.shout(times: Int) = repeat(times)
interface IStore { fun get(id: Int): Item }
object Single { fun go() {} }
typealias Alias = Map<String, Item>
`, defs: `class Store
field Store.api
field Store.n
field Store.items
field Store.LIMIT
method Store.make
method Store.find
enum Store.Color
field Store.Color.n
member Store.Color.RED
member Store.Color.GREEN
method Store.Color.f
method String.shout
interface IStore
method IStore.get
class Single
method Single.go
type Alias`, refs: `inherit Base
inherit IStore
call Api.load
call Api.load().go
call items[].go
call start`, not: `use y`},
		{name: "swift", path: "a.swift", src: `import Foundation
@objc public class Store<T: Hashable>: Base, Proto where T: Codable {
    private var items: [String: Item] = [:]
    lazy var one: Item = { Item() }()
    var size: Int { items.count }
    static let shared = Store()
    init(first: Item, _ n: Int = 0) { self.one = first; super.init() }
    func find(by id: String) throws -> Item? {
        guard let x = items[id] else { return nil }
        x.go()
        let y: Item = make(#"class Fake { "x""#, "\(x.name("}")) class F {")
        y.stop()
        return x
    }
}
protocol Proto { func get(_ id: Int) -> Item }
enum State { case idle, busy(Item); indirect case more(State) }
extension Store { func extra() { find(by: "x")?.go() } }
struct Point { let x: Int; var y: Item }
func top(a: Item) { a.go() }
`, defs: `class Store
field Store.items
field Store.one
field Store.size
field Store.shared
constructor Store.init
method Store.find
interface Proto
method Proto.get
enum State
member State.idle
member State.busy
member State.more
method Store.extra
struct Point
field Point.x
field Point.y
function top`, refs: `inherit Base
inherit Proto
call items[].go
call Item.stop
call make
call Item.go`},
	})
}

func TestProseAndDataHaveAnOutline(t *testing.T) {
	runSamples(t, []sample{
		{name: "markdown", path: "a.md", src: "# One\ntext\n## Two ##\n```sh\n# not\n```\nThree\n=====\n#not\n", defs: "section One\nsection One.Two\nsection Three"},
		{name: "json", path: "a.json", src: `{"a": {"b": [{"c": 1}], "d": "x: {"}, "e": 2}`, defs: "key a\nkey a.b\nkey a.b.c\nkey a.d\nkey e"},
		{name: "yaml", path: "a.yaml", src: "on:\n  push: {x: 1}\n  text: |\n    no: key\njobs:\n  - name: x\n", defs: "key on\nkey on.push\nkey on.text\nkey jobs\nkey jobs.name"},
	})
}

func TestAnUnknownLanguageSaysThatItIsGuessed(t *testing.T) {
	f := Extract("a.lua", []byte("function go(x)\n  other(x)\nend\n"))
	if !f.Generic || len(f.Definitions) != 1 || f.Definitions[0].Name != "go" {
		t.Errorf("got %+v", f)
	}
}
