package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"
)

const (
	// treeFolders and treeFiles make 48 MB with fileBytes: above what helve takes for too small for an index, and
	// enough that searching it takes several times as long as starting a program.
	treeFolders, treeFiles, fileBytes = 40, 1536, 32 << 10
	// words is the size of the vocabulary, seed that of the chance: the tree is the same everywhere and always.
	words, seed = 3000, 33
	// rare is in every fortieth file, once.
	rare = "zebrafish"
)

// searched is the tree, made when it is first wanted.
func (b *bencher) searched() (string, error) {
	if b.tree != "" {
		return b.tree, nil
	}
	root := filepath.Join(b.work, "tree")
	chance := rand.New(rand.NewPCG(seed, seed))
	var vocabulary []string
	for range words {
		word := make([]byte, 3+chance.IntN(8))
		for i := range word {
			word[i] = 'a' + byte(chance.IntN(20)) // without the letters of some patterns
		}
		vocabulary = append(vocabulary, string(word))
	}
	for i := range treeFiles {
		dir := filepath.Join(root, fmt.Sprintf("d%02d", i%treeFolders))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", err
		}
		name := filepath.Join(dir, fmt.Sprintf("f%04d.txt", i))
		if err := os.WriteFile(name, prose(chance, vocabulary, i%40 == 0), 0o644); err != nil {
			return "", err
		}
	}
	b.tree = root
	return root, nil
}

// prose is a file's text, in lines of a dozen words.
func prose(chance *rand.Rand, vocabulary []string, withRare bool) []byte {
	text := make([]byte, 0, fileBytes+200)
	for len(text) < fileBytes {
		for range 12 {
			text = append(text, vocabulary[chance.IntN(len(vocabulary))]...)
			text = append(text, ' ')
		}
		if withRare && len(text) > fileBytes/2 {
			text, withRare = append(text, rare...), false
		}
		text = fmt.Appendf(text, "%d\n", chance.IntN(1000))
	}
	return text
}

// queries are a literal that few files have, the same in any case, one behind an expression, and one that none has.
func queries() []string {
	return []string{rare, "(?i)ZebraFish", `\w+ ` + rare + `\d+`, "wuxyzwuxyz"}
}

// inTree has the tree for its workspace.
func (s *side) inTree() error {
	tree, err := s.searched()
	s.ws = tree
	return err
}

// indexed has the tree for its workspace, with an index of it.
func (s *side) indexed() error {
	err := s.inTree()
	if err == nil {
		_, err = s.ok("index", "build", "--search")
	}
	return err
}

// greps are all queries, each by a command.
func (s *side) greps(flags ...string) *sampler {
	return &sampler{sample: func() (float64, error) {
		var sum time.Duration
		for _, query := range queries() {
			e, err := s.run(nil, slices.Concat([]string{"grep", query}, flags)...)
			if err != nil {
				return 0, err
			}
			if e.code > 1 { // 1: nothing was found
				return 0, fmt.Errorf("helve grep: %s", e.stderr)
			}
			sum += e.cpu
		}
		return ms(sum), nil
	}}
}

func grepCold(s *side) (*sampler, error) { return s.greps("--no-index"), s.inTree() }

func grepIndex(s *side) (*sampler, error) { return s.greps(), s.indexed() }

// grepResident asks a server that has the index.
func grepResident(s *side) (*sampler, error) {
	if err := s.indexed(); err != nil {
		return nil, err
	}
	child, err := s.serve(s.ws)
	if err != nil {
		return nil, err
	}
	var calls []call
	for _, query := range queries() {
		calls = append(calls, call{"grep", map[string]any{"pattern": query}})
	}
	return repeated(child, callsAtOnce, calls...), nil
}

// glob lists every tenth file, without an index.
func glob(s *side) (*sampler, error) {
	return &sampler{sample: func() (float64, error) {
		e, err := s.ok("glob", "**/f*7.txt")
		if err != nil {
			return 0, err
		}
		return ms(e.cpu), nil
	}}, s.inTree()
}
