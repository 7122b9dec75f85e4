package codetool

import "time"

// SetCeiling makes d the time for a look at a change.
func (x *Index) SetCeiling(d time.Duration) { x.ceiling = d }
