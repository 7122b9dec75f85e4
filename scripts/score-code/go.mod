module helve/scripts/score-code

go 1.26.0

require (
	golang.org/x/tools v0.52.0
	helve v0.0.0
)

require (
	github.com/bmatcuk/doublestar/v4 v4.10.4 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
)

replace helve => ../..
