module helve/scripts/score-refactor

go 1.26.0

require helve v0.0.0

require github.com/bmatcuk/doublestar/v4 v4.10.4 // indirect

replace helve => ../..
