package shell

// obeyed are variables that tell programs what else to run or read. What they hold is set by nobody who only looks; the
// values that are allowed switch something off.
var obeyed = lazily(`^(?i)(PATH|ENV|BASH_\w*|SHELLOPTS|BASHOPTS|PS[0-4]|PROMPT_COMMAND|HOME|SHELL|BROWSER|` +
	`VISUAL|CDPATH|FPATH|` +
	`LD_\w*|DYLD_\w*|GLIBC\w*|GCONV_PATH|\w*PAGER|\w*EDITOR|LESS|LESSOPEN|LESSCLOSE|GIT_\w*|SSH_\w*|PYTHON\w*|` +
	`NODE_(OPTIONS|PATH|REPL\w*)|PERL\w*|` +
	`RUBY\w*|GEM_\w*|BUNDLE_\w*|GO(FLAGS|ROOT|PATH|ENV|TOOLCHAIN|PROXY|BIN|PACKAGESDRIVER|TOOLDIR|CACHEPROG|AUTH|` +
	`VCS|EXPERIMENT)|C(C|XX|PP)|AR|LD|` +
	`CARGO\w*|RUST\w*|CLASSPATH|\w*_TOOL_OPTIONS|\w*_(JAVA_)?OPT(ION)?S|\w+OPT|\w+FLAGS|\w+_PATH|\w*CONFIG\w*|` +
	`\w+RC|XDG_\w*|MAN\w*|PHP\w*|LUA_\w*|` +
	`TERMINFO\w*|TMPDIR|INPUTRC|TAR_\w+|XZ_\w+|GREP_\w+|AWK\w*|COMPOSER\w*|npm_\w*|YARN_\w*|DOCKER_\w*|KUBECONFIG|` +
	`\w*PROXY|NLSPATH|LOCPATH|OPENSSL\w*)$`)

// obeyedValue are values that only switch something off, or say where nothing is.
var obeyedValue = lazily(`^(cat|less|more|true|false|0|1|-mod=(mod|readonly|vendor)|off|local|never|/dev/null|` +
	`-R|-FRX|-F|-X)?$`)

// steer notes an assignment that has later programs obey something else.
func (r *report) steer(name, value string, known bool) {
	if obeyed().MatchString(name) && !(known && obeyedValue().MatchString(value)) {
		r.steers = true
	}
}
