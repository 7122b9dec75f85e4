package source

import (
	"errors"

	"helve/source/internal/absence"
)

// IsAway tells of an error that says: the source did not answer in time shortly before, and was not asked again.
func IsAway(err error) bool { return errors.Is(err, absence.ErrAway) }

// An Absence is what is remembered of a source that did not come.
type Absence = absence.Absence
