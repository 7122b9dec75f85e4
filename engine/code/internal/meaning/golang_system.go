package meaning

import "strings"

// sameSystem reports whether two Go files may be built together, by their names.
func sameSystem(a, b string) bool {
	as, am := System(a)
	bs, bm := System(b)
	return (as == "" || bs == "" || as == bs) && (am == "" || bm == "" || am == bm)
}

// System is the system and the machine that the name of a Go file says it is for, "" where it says none.
func System(p string) (system, machine string) {
	if !strings.HasSuffix(p, ".go") {
		return "", ""
	}
	p = strings.TrimSuffix(strings.TrimSuffix(p, ".go"), "_test")
	for range 2 {
		i := strings.LastIndexByte(p, '_')
		if i < 0 {
			break
		}
		switch word := p[i+1:]; {
		case machines[word] && machine == "":
			machine = word
		case systems[word]:
			return word, machine
		default:
			return system, machine
		}
		p = p[:i]
	}
	return system, machine
}

var systems = WordSet("linux windows darwin freebsd netbsd openbsd plan9 solaris aix dragonfly js wasip1 android " +
	"ios illumos")

var machines = WordSet("amd64 arm64 386 arm ppc64 ppc64le ppc64x mips mipsle mips64 mips64le mipsx mips64x riscv64 " +
	"s390x wasm loong64")
