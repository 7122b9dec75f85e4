package meaning

import "helve/engine/code/internal/syntax"

// ruby are the rules of Ruby.
var ruby = Rules{
	Language: syntax.Ruby,

	implicitThis: true,
	unbound:      true,

	outside: true,
	partial: true,
	untyped: true,
	common: WordSet("each map select reject inject reduce size length empty? nil? to_s to_i to_a to_h to_sym first " +
		"last push pop shift join split strip gsub sub keys values merge include? key? new class is_a? respond_to? " +
		"send freeze dup call"),

	constructors:   initializers,
	fieldsOverride: true,
}
