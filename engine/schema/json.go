package schema

import "encoding/json"

var (
	_ json.Marshaler   = (*Schema)(nil)
	_ json.Unmarshaler = (*Schema)(nil)
)

// MarshalJSON writes the schema as JSON does.
func (s *Schema) MarshalJSON() ([]byte, error) { return s.JSON(), nil }

// UnmarshalJSON reads a schema as Parse does, through the guard.
func (s *Schema) UnmarshalJSON(b []byte) error {
	read, err := Parse(b)
	if err != nil {
		return err
	}
	s.raw, s.later = read.raw, nil
	return nil
}
