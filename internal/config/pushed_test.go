package config

import (
	"strings"
	"testing"
)

// What comes over the bus is a layer above the user's, which takes rights away and gives none.
func TestAPushedLayerOnlyTakesRightsAway(t *testing.T) {
	const user = "/user.json"
	load := func(pushed string) (*Config, error) {
		o := Options{UserFile: user, Instead: map[string][]byte{user: []byte(`{"mode":"auto","rules":[{"allow":"bash:make *"}]}`)}}
		if pushed != "" {
			o.Pushed = []byte(pushed)
		}
		return Load(Environment{}, o)
	}
	c, err := load(`{"mode":"ask","rules":[{"allow":"bash:*"},{"deny":"write:*.key"}],"fetch":{"allow_private":["127.0.0.1"]},"bus":{"url":"nats://elsewhere"}}`)
	if err != nil {
		t.Fatal(err)
	}
	if c.Mode != "ask" || c.Layers[0].Name != "bus" || !c.Layers[0].Tightens {
		t.Errorf("mode %s, highest layer %s", c.Mode, c.Layers[0].Name)
	}
	if rules := c.Layers[0].Rules(); len(rules) != 1 || rules[0].Word != "deny" {
		t.Errorf("its rules: %v", rules)
	}
	if c.Fetch != nil || c.Bus != nil || len(c.Ignored) != 3 {
		t.Errorf("fetch %v, bus %v; ignored %v", c.Fetch, c.Bus, c.Ignored)
	}
	if c, err := load(`{"mode":"auto"}`); err != nil || c.Mode != "auto" {
		t.Errorf("the user's own mode: %v", err)
	}
	if c, err := load(""); err != nil || len(c.Layers[0].Rules()) != 1 {
		t.Errorf("without one: %v", err)
	}
	for text, want := range map[string]string{"{": "bus:1", `{"mode":"perhaps"}`: "bus:1", `{"nothing":1}`: "nothing"} {
		if _, err := load(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
