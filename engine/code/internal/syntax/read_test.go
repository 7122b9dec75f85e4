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
