package syntax

import "testing"

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
		{name: "c++ outside its class", path: "b.cc", src: `class Set { class Iter; struct Rep; };
class Set::Iter : public Base { int n GUARDED_BY(mu_); Table* t_ GUARDED_BY(mu_) = nullptr; void go(); };
struct Set::Rep { int size; };
void Set::Iter::go() {}
`, defs: `class Set
class Set.Iter
field Set.Iter.n
field Set.Iter.t_
method Set.Iter.go
struct Set.Rep
field Set.Rep.size
method Set.Iter.go`, refs: `inherit Base`},
		{name: "kotlin fun interface", path: "b.kt", src: "fun interface Filter<T> {\n  fun accept(x: T): Boolean\n}\n", defs: `interface Filter
method Filter.accept`, refs: "use Boolean"},
		{name: "swift operators", path: "b.swift", src: "prefix func ~ <T>(x: T) -> A { make() }\nstruct P {\n  static func == (a: P, b: P) -> Bool { true }\n  static func <= (a: P, b: P) -> Bool { true }\n}\n", defs: `function ~
struct P
method P.==
method P.<=`, refs: "call make"},
		{name: "typescript call signatures", path: "c.ts", src: "export interface Creator {\n  (url: string): Observable<A>;\n  <T>(config: Config): Observable<B<T>>;\n  new (x: C): D;\n  name: string;\n}\n", defs: `interface Creator
field Creator.name`, refs: "use Observable\nuse Config"},
	})
}
