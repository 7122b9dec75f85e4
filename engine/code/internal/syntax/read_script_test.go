package syntax

import "testing"

func TestReadersFindWhatScriptsDefine(t *testing.T) {
	runSamples(t, []sample{
		{name: "declarations without values", path: "a.d.ts", src: `
declare const make: <T>(x: T) => T;
export declare const brand: unique symbol, other: typeof make;
declare let count: number
declare var shared: Store
declare const enum E { One }
export declare abstract class Store { readonly size: number }
declare namespace N { const inner: number }
`, defs: `constant make
constant brand
constant other
variable count
variable shared
enum E
member E.One
class Store
field Store.size
module N
constant N.inner
`, refs: `use make
use Store
`},
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
		{name: "shell back ticks", path: "run.sh", src: "first() {\n  x=`cd \"$d\" && pwd`\n  echo \"it is `hostname -f \"$x\"` here\"\n}\nsecond() { first; }\n: ${a=\"${b}/c\"}\necho \"${a:-\"x\"}\"\nthird() { :; }\n", defs: `function first
function second
function third`, refs: `call cd
call pwd
call first`},
		{name: "ruby blocks as values", path: "b.rb", src: `class A
  OPTS = { end: 1, :if => :class, class: 2 }
  def one
    x = if ready? then 1 else 2 end
    @y = begin; load; end
    z = case x when 1 then :end end
    x
  end
  def Other::two(a) ; a / 2 ; end
  def /(o) o / 2 end
  def <=> other
    0
  end
  def -@; self; end
  private def three
    %r{class Fake}
  end
  LONG = /\G(?:\
    class Fake2\
    end)/x
  def []=(k, v) v end
end
class B
end
`, defs: `class A
constant A.OPTS
method A.one
field A.@y
method A.two
method A./
method A.<=>
method A.-@
method A.three
constant A.LONG
method A.[]=
class B`, refs: `call ready?`},
	})
}
