package sandbox

import (
	"fmt"
	"strings"
)

// seatbelt writes the profile of macOS's sandbox-exec. Of several rules that match, the last one decides.
func seatbelt(level Level, writable, guarded, pinned, masked []string, network bool) string {
	var b strings.Builder
	rule := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	rule("(version 1)")
	rule("(deny default)")
	rule("(allow process-exec process-fork)")
	rule("(allow signal (target same-sandbox))")
	rule("(allow process-info* (target same-sandbox))")
	rule("(allow sysctl-read)")
	rule("(allow file-read*)")
	rule("(allow file-ioctl (regex #\"^/dev/tty.*\"))")
	rule("(allow ipc-posix-sem)")
	rule("(allow pseudo-tty)")
	for _, service := range machServices {
		rule("(allow mach-lookup (global-name %s))", quoteProfile(service))
	}
	for _, d := range []string{"/dev/null", "/dev/zero", "/dev/tty", "/dev/stdout", "/dev/stderr", "/dev/dtracehelper"} {
		rule("(allow file-write* (literal %s))", quoteProfile(d))
	}
	for _, w := range writable {
		rule("(allow file-write* (subpath %s))", quoteProfile(w))
	}
	for _, g := range guarded {
		rule("(deny file-write* (subpath %s))", quoteProfile(g))
	}
	for _, p := range pinned {
		rule("(deny file-write-unlink (literal %s))", quoteProfile(p))
	}
	for _, m := range masked {
		rule("(deny file-read* file-write* (subpath %s))", quoteProfile(m))
	}
	if network && level != ReadOnly {
		rule("(allow network*)")
		rule("(allow system-socket)")
	}
	for _, m := range masked { // a socket is reached through the network, not the file
		if network {
			rule("(deny network-outbound (literal %s))", quoteProfile(m))
		}
	}
	return b.String()
}

// machServices are what every program needs to look up users and settings. Those that start programs are not among
// them.
var machServices = []string{"com.apple.system.opendirectoryd.libinfo", "com.apple.system.opendirectoryd.membership", "com.apple.system.logger",
	"com.apple.system.notification_center", "com.apple.SystemConfiguration.configd", "com.apple.trustd.agent"}

// quoteProfile writes a string of the profile's language. Paths come from outside: quotes and backslashes must not
// end it.
func quoteProfile(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
