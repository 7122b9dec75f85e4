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

// Map is the schema as encoding/json decodes it, which is how many libraries take the parameters of a tool. The map is
// the caller's own; that of nil accepts any object.
func (s *Schema) Map() map[string]any {
	m := map[string]any{}
	json.Unmarshal(s.JSON(), &m) // a Schema is a JSON object
	return m
}
