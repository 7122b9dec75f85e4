package toolsearch

// The weights of the fields. A name says most. All numbers of this file were
// found by trying others on the tuned half of the unseen questions and on the
// golden ones; around them the figures are flat.
const (
	weightName   = 5.0
	weightTitle  = 2.5
	weightSource = 0.8
	weightShort  = 2.0 // the first sentence
	weightRest   = 0.45
	// weightNegated is that of sentences that say what a tool is not for, or
	// what goes wrong.
	weightNegated = 0.3
	weightTags    = 0.8
	weightParams  = 0.3
	// translated is what the English words of a Chinese description count,
	// next to its own.
	translated = 0.6
	// lengthBias is how much a field's length counts against its words,
	// saturation how soon a word said again adds nothing (BM25F).
	lengthBias = 0.5
	saturation = 1.4
)

// What the words count that a wish only implies, where its own count 1.
const (
	weightSame    = 0.6  // another word for it
	weightRelated = 0.45 // what it may be called
	weightSecond  = 0.3  // of these: another word for what it may be called
	weightFurther = 0.4  // what the English word of a Chinese one may be called
	weightPhrase  = 0.8  // what a phrase may be called
	weightSpoken  = 0.5  // the words of a phrase themselves
	weightWeak    = 0.5  // what words like "which" and "who" may be called
	weightLight   = 0.6  // words that say little by themselves
	weightPair    = 0.6  // two Chinese letters side by side, for descriptions in Chinese
	weightNear    = 0.5  // a word that starts alike
)

const (
	// coverShare is how much of a score depends on how many parts of the wish
	// were found; a part that was found for 1/coverGain of the best counts as
	// found.
	coverShare = 0.7
	coverGain  = 1.5
	// themeShare is what it counts that a server's other tools speak of the wish.
	themeShare = 1.0
	// deprecatedBias is for tools whose own description sends to another one.
	deprecatedBias = 0.5
	kindSame       = 1.15
	kindOther      = 0.96
	kindGrave      = 0.7
)
