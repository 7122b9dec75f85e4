package sandbox

import (
	"fmt"
	"strings"
)

// seatbelt is what a profile of macOS's sandbox-exec is written from. Paths are absolute.
type seatbelt struct {
	level    Level
	writable []string // directories that may be changed
	guarded  []string // paths below them that may not
	pinned   []string // directories on the way to those, which may not be moved away
	masked   []string // paths that can neither be read nor changed
	network  bool
}

// everyProgram is what every program needs to run at all, whatever the level.
const everyProgram = `(version 1)
(deny default)
(allow process-exec process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow file-read*)
(allow file-ioctl (regex #"^/dev/tty.*"))
(allow ipc-posix-sem)
(allow pseudo-tty)
`

// profile writes the rules. Of several that match, the last one decides: what is allowed comes before what is taken
// away from it.
func (s seatbelt) profile() string {
	var b strings.Builder
	b.WriteString(everyProgram)
	each := func(format string, names []string) {
		for _, n := range names {
			fmt.Fprintf(&b, format+"\n", quoteProfile(n))
		}
	}
	each("(allow mach-lookup (global-name %s))", machServices)
	each("(allow file-write* (literal %s))", writableDevices)
	each("(allow file-write* (subpath %s))", s.writable)
	each("(deny file-write* (subpath %s))", s.guarded)
	each("(deny file-write-unlink (literal %s))", s.pinned)
	each("(deny file-read* file-write* (subpath %s))", s.masked)
	if s.network && s.level != ReadOnly {
		b.WriteString("(allow network*)\n(allow system-socket)\n")
	}
	if s.network { // a socket is reached through the network, not the file
		each("(deny network-outbound (literal %s))", s.masked)
	}
	return b.String()
}

// machServices are what every program needs to look up users and settings. Those that start programs are not among
// them.
var machServices = []string{
	"com.apple.system.opendirectoryd.libinfo",
	"com.apple.system.opendirectoryd.membership",
	"com.apple.system.logger",
	"com.apple.system.notification_center",
	"com.apple.SystemConfiguration.configd",
	"com.apple.trustd.agent",
}

var writableDevices = []string{
	"/dev/null", "/dev/zero", "/dev/tty", "/dev/stdout", "/dev/stderr", "/dev/dtracehelper",
}

// quoteProfile writes a string of the profile's language. Paths come from outside: quotes and backslashes must not
// end it.
func quoteProfile(s string) string {
	escaped := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s)
	return `"` + escaped + `"`
}
