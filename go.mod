module helve

go 1.26.0

require (
	github.com/aymanbagabas/go-udiff v0.4.1
	golang.org/x/sys v0.49.0
	golang.org/x/text v0.43.0
)
