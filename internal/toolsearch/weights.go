package toolsearch

type weights struct {
	name, title, source, short, rest, negated, tags, params, translated float64
	lengthBias, saturation                                              float64
	same, phrase, second, weak, inPhrase, pair                          float64
	near, cover, coverGain, kind, grave, other, deprecated              float64
}

const relatedWeight = 0.45

const grave = class(1) // bits given in the order of the table: delete is the first

var par = weights{
	name: 5, title: 2, source: 1.5, short: 2, rest: 0.6, negated: 0.15, tags: 0.8, params: 0.3, translated: 0.6,
	lengthBias: 0.5, saturation: 1.4,
	same: 0.6, phrase: 0.8, second: 0.5, weak: 0.3, inPhrase: 0.5, pair: 0.6,
	near: 0.5, cover: 0.4, coverGain: 1.5, kind: 0.15, grave: 0.5, other: 0.1, deprecated: 0.5,
}
