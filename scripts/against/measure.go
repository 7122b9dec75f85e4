package main

import (
	"fmt"
	"math"
	"slices"
	"time"
)

const (
	// blocks are the parts of a row's pairs, each with folders of its own: worse in two of three is worse.
	blocks = 3
	// turns are the parts of a block, each with servers of its own: two processes of one program differ by several
	// percent in what a call takes, for as long as they live.
	turns = 4
	// bearable is how much more a row may take.
	bearable = 1.08
	// blockTime is how long the pairs of one block go on: 25 rows take about five minutes.
	blockTime = 4 * time.Second
	// leastPairs is how many there are in a block whatever they take.
	leastPairs = 3
)

// A kind says what a row's figures are.
type kind int

const (
	steady kind = iota // depends on the state alone: one pair a block is enough
	memory             // bytes that differ a little from run to run
	cpu                // processor time
	wall               // time on the clock: shown, and never worse
)

// A row is one line of the table. open makes ready for a block whatever the row needs in the folders of one side.
type row struct {
	name, unit string
	kind       kind
	full       bool // in a state with two programs the larger one is measured, which the other hands it over to
	open       func(*side) (*sampler, error)
}

// A sampler takes the figure of one side, as often as it is asked.
type sampler struct {
	sample func() (float64, error)
	close  func() // nil: nothing is open
}

// A result is what came out of a row.
type result struct {
	Row   string  `json:"row"`
	Unit  string  `json:"unit"`
	Then  float64 `json:"then"`
	Now   float64 `json:"now"`
	Ratio float64 `json:"ratio"` // of the medians, the middle one of the blocks
	Low   float64 `json:"low"`   // the lowest ratio of a block
	High  float64 `json:"high"`  // the highest
	Worse bool    `json:"worse"`
	Note  string  `json:"note,omitempty"` // why there is nothing to compare
	over  bool    // in two blocks of three, asserted or not
}

// measure takes the figures of a row. It fails where the work tree has none; a REF without them is noted.
func (b *bencher) measure(r *row, short bool) (*result, error) {
	var then, now []float64
	var ratios []float64
	lacks := b.then.lacks
	for range r.blocks(short) {
		pair, missing, err := b.block(r, short, lacks)
		if err != nil {
			return nil, err
		}
		lacks = missing
		then = append(then, pair[0]...)
		now = append(now, pair[1]...)
		if lacks == nil {
			ratios = append(ratios, median(pair[1])/median(pair[0]))
		}
	}
	res := &result{Row: r.name, Unit: r.unit, Now: median(now)}
	if lacks != nil {
		res.Note = "not compared: " + lastLines(lacks.Error())
		return res, nil
	}
	res.Then = median(then)
	res.judge(ratios, r.asserted(short))
	return res, nil
}

// blocks are the blocks of a row. In a short run one shows what cannot be worse there.
func (r *row) blocks(short bool) int {
	if r.asserted(short) || !short {
		return blocks
	}
	return 1
}

// asserted tells whether the row can be worse. Where others use the machine, short runs cannot tell more time from
// less.
func (r *row) asserted(short bool) bool {
	if short {
		return r.kind == steady
	}
	return r.kind != wall
}

// judge says how the blocks differ. The middle one of three is worse where two of them are.
func (res *result) judge(ratios []float64, asserted bool) {
	res.Ratio, res.Low, res.High = median(ratios), slices.Min(ratios), slices.Max(ratios)
	res.over = res.Ratio > bearable
	res.Worse = res.over && asserted
}

// A plan says how a block of a row goes: in so many turns, each of so many pairs at least, and of more while time is
// left.
type plan struct {
	turns, pairs int
	time         time.Duration
}

func (r *row) plan(short bool) plan {
	switch {
	case r.kind == steady || r.kind == memory:
		return plan{turns: 1, pairs: 1}
	case short:
		return plan{turns: 1, pairs: leastPairs}
	}
	return plan{turns: turns, pairs: 1, time: blockTime / turns}
}

// block measures pairs in turns. missing says why REF has no such row; the work tree is then measured alone.
func (b *bencher) block(r *row, short bool, missing error) (figures [2][]float64, _ error, err error) {
	var sides [2]*side
	if missing == nil {
		sides[0], missing = b.side(r, b.then)
	}
	sides[1], err = b.side(r, b.now)
	p := r.plan(short)
	for n := 0; n < p.turns && err == nil; n++ {
		var lacks error
		lacks, err = b.turn(r, p, sides, &figures)
		if lacks != nil {
			missing, sides[0] = lacks, nil
		}
	}
	return figures, missing, err
}

// turn opens both sides, and measures pairs: one side after the other, and the other way round the next time. What REF
// fails in it lacks; what the work tree fails in is an error.
func (b *bencher) turn(r *row, p plan, sides [2]*side, figures *[2][]float64) (lacks, err error) {
	var open [2]*sampler
	if sides[0] != nil {
		open[0], lacks = sides[0].open(r)
	}
	if open[0] != nil {
		defer open[0].end()
	}
	open[1], err = sides[1].open(r)
	if err != nil {
		return nil, err
	}
	defer open[1].end()
	began := time.Now()
	for i := 0; i < p.pairs || time.Since(began) < p.time; i++ {
		for k := range open {
			k := (k + i) % len(open)
			if open[k] == nil {
				continue
			}
			v, err := open[k].sample()
			switch {
			case b.ctx.Err() != nil:
				return nil, b.ctx.Err()
			case err != nil && k == 0:
				return err, nil
			case err != nil:
				return nil, err
			}
			figures[k] = append(figures[k], v)
		}
	}
	return lacks, nil
}

// open makes one side ready, and takes a first figure that nobody sees: it starts what is lazy, and tells whether the
// state can do at all what the row wants.
func (s *side) open(r *row) (*sampler, error) {
	got, err := r.open(s)
	if err != nil {
		return nil, err
	}
	if r.kind == cpu || r.kind == wall {
		_, err = got.sample()
	}
	if err != nil {
		got.end()
		return nil, err
	}
	return got, nil
}

// end closes what is open.
func (s *sampler) end() {
	if s.close != nil {
		s.close()
	}
}

// median is the middle of some figures.
func median(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// once is the sampler of a figure that is the same each time.
func once(v float64, err error) (*sampler, error) {
	if err != nil {
		return nil, err
	}
	if v <= 0 {
		return nil, fmt.Errorf("there is no such figure: %v", v)
	}
	return &sampler{sample: func() (float64, error) { return v, nil }}, nil
}
