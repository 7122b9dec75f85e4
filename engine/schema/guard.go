package schema

import (
	"errors"
	"fmt"

	rawjson "helve/internal/json"
)

// A guard looks at a foreign schema before anything is compiled from it.
type guard struct {
	resolver
	count   int            // schemas seen
	refs    []*node        // values of the reference keywords, in order
	visited map[*node]bool // set once references lead back into the tree
	order   []*node        // what is visited, in order
	cost    map[*node]int  // schemas evaluated at the place where this one is; visiting while being counted
}

// visiting is the cost of a schema that is being counted: who meets it has gone round in a ring.
const visiting = -1

// guardTree refuses what would loop, explode or reach outside.
func guardTree(root *node) error {
	g := guard{resolver: resolver{root: root}}
	if err := g.walk(root); err != nil {
		return err
	}
	if len(g.refs) == 0 {
		return nil
	}
	if err := g.follow(); err != nil {
		return err
	}
	return g.price()
}

// walk counts the schemas of a tree and collects anchors and references.
func (g *guard) walk(n *node) error {
	if g.visited != nil {
		if g.visited[n] {
			return nil
		}
		g.visited[n] = true
		g.order = append(g.order, n)
	}
	if g.count++; g.count > maxSubschemas {
		return fmt.Errorf("more than %d subschemas", maxSubschemas)
	}
	for i := range n.Kids {
		k := &n.Kids[i]
		if !k.IsString() {
			continue
		}
		switch {
		case isReference(k.Name) && n.Kind == rawjson.KindObject:
			if !local(k.Text) {
				const far = "%s %s is not local: put the definition into the schema itself"
				return fmt.Errorf(far, k.Name, quote(k.Text))
			}
			g.refs = append(g.refs, k)
		case k.Name == "$anchor" || k.Name == "$dynamicAnchor":
			if g.anchors == nil {
				g.anchors = map[string]*node{}
			}
			if g.anchors[k.Text] == nil { // the first counts, here as for the cleaner
				g.anchors[k.Text] = n
			}
		}
	}
	return subschemas(n, func(sub *node, _ bool) error { return g.walk(sub) })
}

// follow walks what references point at, so that definitions in unusual places are judged as well.
func (g *guard) follow() error {
	g.visited, g.count = map[*node]bool{}, 0
	refs := g.refs
	g.refs = nil
	if err := g.walk(g.root); err != nil {
		return err
	}
	for len(refs) > 0 {
		target := g.find(refs[0].Text)
		refs = refs[1:]
		if target == nil {
			continue // a dangling reference constrains nothing; the notes tell
		}
		seen := len(g.refs)
		if err := g.walk(target); err != nil {
			return err
		}
		refs = append(refs, g.refs[seen:]...)
	}
	return nil
}

// price makes sure that no place of the arguments is judged by too many schemas, and none by an
// endless chain.
func (g *guard) price() error {
	g.cost = map[*node]int{}
	for _, n := range g.order {
		if _, err := g.at(n); err != nil {
			return err
		}
	}
	return nil
}

// errLoop refuses a ring that no argument can end: each step judges the same place once more.
var errLoop = errors.New("a reference leads back to itself without going deeper")

// at counts the schemas that judge the place where n is: itself, those that stand at the same place
// of the arguments, and what references there lead to.
func (g *guard) at(n *node) (int, error) {
	if c, ok := g.cost[n]; ok {
		if c == visiting {
			return 0, errLoop
		}
		return c, nil
	}
	g.cost[n] = visiting
	sum := 1
	add := func(sub *node) error {
		c, err := g.at(sub)
		if sum += c; err == nil && sum > maxExpansion {
			err = fmt.Errorf("it expands to more than %d schemas at one place", maxExpansion)
		}
		return err
	}
	err := subschemas(n, func(sub *node, sameplace bool) error {
		if !sameplace {
			return nil
		}
		return add(sub)
	})
	for _, target := range g.targets(n) {
		if err == nil {
			err = add(target)
		}
	}
	g.cost[n] = sum
	return sum, err
}

// targets are what the references of a schema lead to; dangling ones lead nowhere.
func (g *guard) targets(n *node) (out []*node) {
	if n.Kind != rawjson.KindObject {
		return nil
	}
	for i := range n.Kids {
		k := &n.Kids[i]
		if !isReference(k.Name) || !k.IsString() {
			continue
		}
		if target := g.find(k.Text); target != nil {
			out = append(out, target)
		}
	}
	return out
}
