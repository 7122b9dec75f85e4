package script

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// Of the scripts that wait sixteen are kept, and those of whoever has most make room.
func TestOnlySoManyScriptsWait(t *testing.T) {
	var rs records
	now := time.Unix(1e9, 0)
	rs.add("mine", &record{owner: "a"}, now)
	for i := range 3 * maxRecords {
		rs.add(fmt.Sprint(i), &record{owner: "b"}, now.Add(time.Duration(i)*time.Second))
		if len(rs.all) > maxRecords {
			t.Fatalf("%d are kept", len(rs.all))
		}
	}
	last := fmt.Sprint(3*maxRecords - 1)
	if rs.all["mine"] == nil || rs.all[last] == nil || rs.all["0"] != nil || len(rs.all) != maxRecords {
		t.Errorf("%d are kept: mine %v, the last %v, the first %v", len(rs.all), rs.all["mine"], rs.all[last], rs.all["0"])
	}
}

// An error that names changed files stays short enough to read, and counts those that it does not name.
func TestChangedFilesAreNamedUpToABound(t *testing.T) {
	for _, c := range []struct{ files, name, named int }{{3, 1, 3}, {500, 1, 500}, {700, 1, 500}, {700, 200, 77}} {
		var all changes
		for i := range c.files {
			all.Files = append(all.Files, changed{Path: fmt.Sprintf("%04d%s", i, strings.Repeat("x", c.name)), Change: "created"})
		}
		lines := all.told(false)
		named := 0
		for _, l := range lines {
			if strings.HasPrefix(l, "  created ") {
				named++
			}
		}
		more := fmt.Sprintf("and %d more", c.files-c.named)
		if named != c.named || strings.Contains(strings.Join(lines, "\n"), more) != (c.files > c.named) {
			t.Errorf("%d files with names of %d bytes: %d are named", c.files, c.name, named)
		}
	}
}

// The child that waits for the next script ends with the tool.
func TestTheChildThatWaitsEndsWithItsTool(t *testing.T) {
	if err := Confined(t.Context()); err != nil {
		t.Skip(err)
	}
	var n nursery
	p, err := n.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n.follow(p)
	n.growing.Wait()
	spare := n.spare
	if spare == nil {
		t.Fatal("no child waits")
	}
	if err := n.Close(); err != nil {
		t.Error(err)
	}
	if _, err := spare.in.Write([]byte("x")); err == nil || !strings.Contains(err.Error(), os.ErrClosed.Error()) {
		t.Errorf("its pipe is open: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), startTime)
	defer cancel()
	if spare.sandboxed.Wait(ctx); ctx.Err() != nil {
		t.Error("it runs")
	}
}
