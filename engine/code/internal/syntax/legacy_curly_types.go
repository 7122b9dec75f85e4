package syntax

// legacyMaxAngle bounds how far ahead type arguments are looked for.
const legacyMaxAngle = 96

// angle is the position behind the type arguments at i, or i when the < there is a comparison.
func (r *legacy) angle(i, hi int) int {
	depth := 0
	for k := i; k < hi && k < i+legacyMaxAngle; k++ {
		t := r.tok(k)
		if t.kind != tPunct {
			if t.kind == tString && t.ch != '\'' && t.ch != '"' {
				return i
			}
			continue
		}
		switch t.ch {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				return k + 1
			}
		case '(', '[', '{':
			k = r.close(k, hi)
		case '+':
			if !r.bounds {
				return i
			}
		case ')', ']', '}', ';', opLogic, opAssign, '/', '%', opDefine:
			return i
		}
	}
	return i
}

// angleTypes refers to the types between the angle brackets lo and hi.
func (r *legacy) angleTypes(lo, hi int) {
	for k := lo + 1; k < hi; k++ {
		if !r.name(k) || k > 0 && (r.is(k-1, '.') || r.is(k-1, opScope)) {
			continue
		}
		if _, ok := r.local(r.sym(k)); !ok {
			r.referTo(r.sym(k), 0, Mention, k)
		}
	}
}

// typeName reads a dotted type name with its arguments and pushes it.
func (r *legacyCurly) typeName(i, hi int) int {
	start := len(r.expr)
	use := Mention
	if r.making {
		use, r.making = Call, false
	}
	for i < hi && r.tok(i).kind == tPunct && (r.is(i, '&') || r.is(i, '*') || r.is(i, '(') && r.is(i+1, ')')) {
		i++
	}
	if i >= hi || r.tok(i).kind != tName {
		r.expr = append(r.expr, unknown...)
		return i
	}
	if w := r.word(i); w != noWord {
		if w == wThis && r.this != "" {
			r.pushThis("")
		} else {
			r.expr = append(r.expr, unknown...)
		}
		return i + 1
	}
	name := r.sym(i)
	if b, ok := r.legacy.local(name); ok {
		r.push(b)
	} else {
		if !(legacyMemberOps[r.tok(i+1).ch] && r.tok(i+1).kind == tPunct) {
			r.referTo(name, 0, use, i)
		}
		r.expr = append(r.expr, r.text(i)...)
	}
	i++
	for i+1 < hi && r.tok(i).kind == tPunct && (r.is(i, '.') || r.is(i, opScope)) && r.name(i+1) {
		last := use
		if r.is(i+2, '.') || r.is(i+2, opScope) {
			last = Mention
		}
		r.refer(i+1, start, last)
		r.expr = append(append(r.expr, '.'), r.text(i+1)...)
		i += 2
	}
	if r.is(i, '<') && i < hi {
		if k := r.angle(i, hi); k > i {
			r.container(i, k, start)
			i = k
		}
	}
	return i
}

// container replaces the generic type from start on, whose arguments stand between lo and hi, by a list when it is
// one of the usual collections, and by its argument when it merely wraps one.
func (r *legacyCurly) container(lo, hi, start int) {
	name := lastName(r.expr[start:])
	keep := len(r.expr)
	r.angleTypes(lo, hi)
	at := lo + 1
	if legacyMaps[name] {
		for k := lo + 1; k < hi; k++ {
			if r.is(k, ',') {
				at = k + 1
			}
		}
	}
	if !legacyLists[name] && !legacyMaps[name] && !legacyWrappers[name] || !r.enter() {
		return
	}
	defer r.leave()
	r.typeName(at, hi-1)
	argument := string(r.expr[keep:])
	r.expr = r.expr[:keep]
	if argument == unknown || argument == "" {
		return
	}
	if legacyWrappers[name] {
		r.expr = append(r.expr[:start], argument...)
		return
	}
	r.expr = append(append(append(r.expr[:start], '['), argument...), ']')
}

var legacyLists = map[string]bool{"Array": true, "ReadonlyArray": true, "Set": true, "List": true, "Vec": true, "VecDeque": true,
	"ArrayList": true, "Collection": true, "Iterable": true, "Iterator": true, "Stream": true, "vector": true, "list": true, "deque": true,
	"set": true, "IEnumerable": true, "IList": true, "HashSet": true, "BTreeSet": true, "LinkedList": true, "MutableList": true, "Sequence": true,
	"unordered_set": true, "Deque": true, "Queue": true, "IReadOnlyList": true, "ICollection": true, "MutableSet": true, "SmallVec": true}

var legacyMaps = map[string]bool{"Map": true, "Record": true, "HashMap": true, "BTreeMap": true, "map": true, "unordered_map": true,
	"Dictionary": true, "IDictionary": true, "MutableMap": true, "TreeMap": true, "ConcurrentHashMap": true, "LinkedHashMap": true, "WeakMap": true}

var legacyWrappers = map[string]bool{"Promise": true, "Readonly": true, "Partial": true, "Required": true, "Box": true, "Rc": true, "Arc": true,
	"Option": true, "Result": true, "RefCell": true, "Mutex": true, "RwLock": true, "Cell": true, "Pin": true, "Optional": true,
	"unique_ptr": true, "shared_ptr": true, "weak_ptr": true, "Task": true, "Nullable": true, "Lazy": true, "Future": true, "Cow": true,
	"CompletableFuture": true, "AtomicReference": true, "WeakReference": true, "Ref": true, "RefMut": true, "optional": true, "ValueTask": true}

// assigned reads the value behind = at i and answers its type: 0 when an operator changes it.
func (r *legacyCurly) assigned(i, hi int) (int, Sym) {
	start := len(r.expr)
	i = r.value(i, hi)
	t := r.tok(i)
	if i < hi && t.kind == tPunct && !(r.lines && t.nl) {
		switch t.ch {
		case ';', ',', ')', '}', ']', opLogic:
		default:
			r.expr = append(r.expr[:start], unknown...)
		}
	}
	typ := r.pop(start)
	if i < hi && (r.word(i) == wAs || r.soft(i, "as")) {
		i, typ = r.castTo(i+1, hi)
	}
	return i, typ
}
