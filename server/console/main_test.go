package console

import (
	"testing"

	"helve/internal/testing/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }
