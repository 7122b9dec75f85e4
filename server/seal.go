package server

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
)

// A sealer keeps what a client carries for us secret and unchanged: AES-256-GCM
// under a key derived from the server's.
type sealer struct{ aead cipher.AEAD }

func newSealer(key []byte) *sealer {
	derived := sha256.Sum256(append([]byte("helve state\x00"), key...))
	block, err := aes.NewCipher(derived[:])
	if err != nil {
		panic("server: " + err.Error()) // the key's size is right
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic("server: " + err.Error())
	}
	return &sealer{aead}
}

// close seals plain for one purpose.
func (s *sealer) close(plain, about []byte) string {
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, plain, about))
}

// open is what close sealed, for the same purpose.
func (s *sealer) open(text string, about []byte) ([]byte, bool) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil, false
	}
	plain, err := s.aead.Open(nil, nil, b, about)
	return plain, err == nil
}
