package config

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"helve/internal/state"
)

// TrustStore remembers which content of which workspace's configuration a person accepted. Its
// folder is outside every workspace.
type TrustStore struct{ Dir string }

// maxTrust bounds the file: ten thousand workspaces fit.
const maxTrust = 2 << 20

type acceptance struct {
	Digest string    `json:"digest"`
	When   time.Time `json:"when"`
}

func (s TrustStore) path() string {
	return filepath.Join(s.Dir, "trust.json")
}

// Accepted tells whether exactly this content was accepted. A file that cannot be read accepts
// nothing.
func (s TrustStore) Accepted(workspace, digest string) bool {
	have, _, _ := s.Status(workspace)
	return digest != "" && have == digest
}

// Status is the content that was accepted last, and when; "" if none was.
func (s TrustStore) Status(workspace string) (digest string, when time.Time, err error) {
	b, err := state.Read(s.path(), maxTrust)
	if err != nil {
		return "", time.Time{}, err
	}
	all, err := readTrust(b)
	return all[workspace].Digest, all[workspace].When, err
}

// Hold keeps other helves from changing a workspace's configuration, and what is trusted of it, until unlock is called:
// what is loaded, changed and accepted meanwhile is one step.
func (s TrustStore) Hold(workspace string) (unlock func(), err error) {
	return state.Lock(filepath.Join(s.Dir, "locks"), "the configuration of "+workspace)
}

func readTrust(b []byte) (map[string]acceptance, error) {
	all := map[string]acceptance{}
	if len(b) == 0 {
		return all, nil
	}
	if err := json.Unmarshal(b, &all); err != nil {
		return map[string]acceptance{}, fmt.Errorf("trust: the record cannot be read, so nothing is trusted: %w", err)
	}
	return all, nil
}

// Accept remembers this content; the workspace's earlier one is forgotten.
func (s TrustStore) Accept(workspace, digest string, now time.Time) error {
	now = now.UTC().Truncate(time.Second)
	return s.change(func(all map[string]acceptance) { all[workspace] = acceptance{digest, now} })
}

// Revoke forgets the workspace.
func (s TrustStore) Revoke(workspace string) error {
	return s.change(func(all map[string]acceptance) { delete(all, workspace) })
}

func (s TrustStore) change(f func(map[string]acceptance)) error {
	if err := state.MakeDir(s.Dir); err != nil {
		return err
	}
	return state.Update(s.path(), maxTrust, func(old []byte) ([]byte, error) {
		all, err := readTrust(old)
		if err != nil { // it accepts nothing; what it said is kept, for a person to look at
			if _, err := state.KeepDamaged(s.path(), old); err != nil {
				return nil, err
			}
		}
		f(all)
		return json.MarshalIndent(all, "", "  ")
	})
}
