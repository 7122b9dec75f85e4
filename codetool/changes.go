package codetool

import (
	"context"

	"helve/code"
)

func (x *Index) changes(ctx context.Context) ([]code.Range, string, error) { return nil, "", nil }
