package meaning

import "helve/engine/code/internal/syntax"

// shell are the rules of shells.
var shell = Rules{
	Language: syntax.Shell,

	unbound: true,
}
