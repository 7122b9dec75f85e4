package lex

const (
	hashSeed  = 2166136261
	hashPrime = 16777619
)

// Hash is FNV-1a of 32 bits.
func Hash(b []byte) uint32 {
	h := uint32(hashSeed)
	for _, c := range b {
		h = (h ^ uint32(c)) * hashPrime
	}
	return h
}

// HashString is Hash of a string.
func HashString(s string) uint32 {
	h := uint32(hashSeed)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint32(s[i])) * hashPrime
	}
	return h
}

// Spread moves the entropy of FNV's high bits to the low ones that index the table.
func Spread(h uint32) uint32 { return h ^ h>>15 }
