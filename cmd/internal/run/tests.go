package run

import (
	"cmp"
	"regexp"
	"strconv"
	"sync"
)

// tested are the tests that commands of a run ran, as the runners told.
type tested struct {
	Run    int `json:"run"`
	Passed int `json:"passed"`
}

// A runner is a program that runs tests: how a command line names it, and how it tells what came of them.
type runner struct {
	line         *regexp.Regexp
	passed, lost *regexp.Regexp // a number in each match; without one, each match counts as one
	last         bool           // the last match counts alone: it is a sum
}

// runners are those that are known, the more exact ones first. A run that prints nothing which they know is not
// counted. Without -v, go test tells of packages alone: these are counted.
var runners = sync.OnceValue(func() []runner {
	re := regexp.MustCompile
	return []runner{
		{
			line:   re(`\bgo test\b.*\s-json\b`),
			passed: re(`"Action":"pass",.*"Test":`), lost: re(`"Action":"fail",.*"Test":`),
		},
		{line: re(`\bgo test\b.*\s-v\b`), passed: re(`(?m)^\s*--- PASS: `), lost: re(`(?m)^\s*--- FAIL: `)},
		{line: re(`\bgo test\b`), passed: re(`(?m)^ok\s+\S+\s`), lost: re(`(?m)^FAIL\s+\S+\s`)},
		{
			line:   re(`\b(?:pytest|py\.test)\b`),
			passed: re(`(\d+) passed\b`), lost: re(`(\d+) (?:failed|errors?)\b`), last: true,
		},
		{line: re(`\bcargo (?:test|nextest)\b`), passed: re(`(\d+) passed;`), lost: re(`(\d+) failed;`)},
		{
			line:   re(`\b(?:jest|vitest|npm|pnpm|yarn|bun)\b.*\btest\b|\b(?:jest|vitest)\b|\bnode\b.*--test\b`),
			passed: re(`(?m)^(?:#|ℹ) pass (\d+)|^\s*Tests:?\s.*?(\d+) passed`),
			lost:   re(`(?m)^(?:#|ℹ) fail (\d+)|^\s*Tests:?\s.*?(\d+) failed`), last: true,
		},
	}
})

// testsOf are the tests that a command ran; nil: it ran none, or it does not show how many.
func testsOf(line, printed string) *tested {
	if line == "" {
		return nil
	}
	for _, r := range runners() {
		if !r.line.MatchString(line) {
			continue
		}
		passed, some := r.count(r.passed, printed)
		lost, others := r.count(r.lost, printed)
		if some || others {
			return &tested{Run: passed + lost, Passed: passed}
		}
		return nil
	}
	return nil
}

// count adds up the numbers of a pattern.
func (r runner) count(of *regexp.Regexp, text string) (sum int, found bool) {
	for _, m := range of.FindAllStringSubmatch(text, -1) {
		n := 1
		if len(m) > 1 {
			n, _ = strconv.Atoi(cmp.Or(m[1:]...)) // too large a number is none
		}
		if r.last {
			sum = 0
		}
		sum += n
		found = true
	}
	return sum, found
}
