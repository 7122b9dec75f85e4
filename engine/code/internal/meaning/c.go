package meaning

import (
	"path"
	"strings"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// plainC are the rules of C.
var plainC = Rules{
	Language: syntax.C,

	unbound:        true,
	enumerators:    true,
	typeParameters: true,

	outside: true,

	ownConstructor: true,

	oneProgram: true,
	private:    ownMacro,

	importsPrivate:    true,
	importsNamespaces: true,
	module:            included,
}

// cPlusPlus are the rules of C++.
var cPlusPlus = Rules{
	Language: syntax.CPlusPlus,

	implicitThis:   true,
	unbound:        true,
	typeParameters: true,

	outside: true,
	indexed: "operator[]",

	ownConstructor: true,

	overloads: true,
	private:   ownMacro,

	importsPrivate:    true,
	importsNamespaces: true,
	module:            included,
}

// included finds the header that #include names: beside the file, or the nearest whose path ends so. A header of the
// system is one of the tree only where the project around the file has it.
func included(r *evaluator, name string, from *store.File) []int32 {
	if files := r.modules.paths(Join(from.Dir(), name)); files != nil {
		return files
	}
	if systemHeaders[name] {
		return ownSystem(r, name, from)
	}
	base := path.Base(name)
	stem := strings.TrimSuffix(base, path.Ext(base))
	if n := r.modules.nearest(r.Tree.Called(stem), path.Clean(name), from); n >= 0 {
		return []int32{n}
	}
	return nil
}

// ownSystem finds a header of the system in the folders around a file, or in the folders for headers there: a C
// library has it.
func ownSystem(r *evaluator, name string, from *store.File) []int32 {
	for dir := from.Dir(); dir != ""; {
		dir = store.DirOf(dir)
		if files := r.modules.paths(Join(dir, name), Join(dir, "include/"+name)); files != nil {
			return files
		}
	}
	return nil
}

// systemHeaders are those of C and C++ and the most common ones of POSIX: a tree that carries a copy of one, for
// other systems or in what it brings along, does not mean that copy by it.
var systemHeaders = WordSet("assert.h complex.h ctype.h dirent.h dlfcn.h errno.h fcntl.h fenv.h float.h getopt.h " +
	"grp.h inttypes.h iso646.h libgen.h limits.h locale.h math.h memory.h netdb.h poll.h pthread.h pwd.h regex.h " +
	"sched.h semaphore.h setjmp.h signal.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h " +
	"stdlib.h stdnoreturn.h string.h strings.h syslog.h termios.h tgmath.h threads.h time.h uchar.h unistd.h " +
	"utime.h wchar.h wctype.h arpa/inet.h net/if.h netinet/in.h netinet/tcp.h sys/file.h sys/ioctl.h sys/ipc.h " +
	"sys/mman.h sys/param.h sys/resource.h sys/select.h sys/shm.h sys/socket.h sys/stat.h sys/time.h sys/types.h " +
	"sys/uio.h sys/un.h sys/utsname.h sys/wait.h")

// ownMacro reports whether d is a macro that no header defines.
func ownMacro(f *store.File, d *store.Def) bool { return d.Kind == syntax.Macro && !header(f.Path) }

func header(p string) bool {
	for _, ext := range []string{".h", ".hh", ".hpp"} {
		if len(p) > len(ext) && strings.HasSuffix(p, ext) {
			return true
		}
	}
	return false
}
