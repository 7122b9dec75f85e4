package toolsearch

type weights struct {
	name, title, source, short, rest, negated, tags, params, translated  float64
	lengthBias, saturation                                               float64
	same, phrase, second, weak, inPhrase, pair, further                  float64
	near, cover, coverGain, kind, grave, other, deprecated, theme, whole float64
}

const relatedWeight = 0.45

const grave = class(1) // bits given in the order of the table: delete is the first

var par = weights{
	name: 5, title: 2.5, source: 0.8, short: 2, rest: 0.45, negated: 0.3, tags: 0.8, params: 0.3, translated: 0.6,
	lengthBias: 0.5, saturation: 1.4,
	same: 0.6, phrase: 0.8, second: 0.3, weak: 0.5, inPhrase: 0.5, pair: 0.6, further: 0.4,
	near: 0.5, cover: 0.7, coverGain: 1.5, kind: 0.15, grave: 0.3, other: 0.04, deprecated: 0.5, theme: 1, whole: 0.2,
}
