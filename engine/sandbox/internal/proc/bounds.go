package proc

import "fmt"

// Bounds are what all processes of a command may use together. Zero is no bound. A [Supervisor] looks from time to time
// and ends the whole tree that uses more, so that for a moment it can: limits of the kernel hold besides. On Windows
// the job object gives it no more.
type Bounds struct {
	// Memory in bytes: what processes have for themselves or share, each page once, and files that lie in memory
	// without a name. With it, the tree also ends that has a good part of it when the machine has none left.
	Memory int64 `json:"memory,omitempty"`
	// Processes, threads too.
	Processes int `json:"processes,omitempty"`
	// Folder is one on the disk that nothing else bounds, as the tree sees it. Grown is by how many bytes it may grow,
	// and Entries how many files and folders it may have.
	Folder  string `json:"folder,omitempty"`
	Grown   int64  `json:"grown,omitempty"`
	Entries int    `json:"entries,omitempty"`
}

// any reports that there is something to look at.
func (b Bounds) any() bool { return b.Memory > 0 || b.Processes > 0 || b.Folder != "" }

// gigabytes are bytes in words.
func gigabytes(n int64) string {
	const mega, giga = 1 << 20, 1 << 30
	if n < giga {
		return fmt.Sprintf("%d MiB", n/mega)
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/giga)
}
