package workspace

import (
	"cmp"
	"maps"
	"slices"

	"helve/internal/config"
)

// strangeModels are the words of the configuration that mean no model: model itself, what aliases mean, and what a run
// goes on with where its own is down.
func (n inspection) strangeModels() []Finding {
	c := n.conf.opened
	var found []Finding
	add := func(key, word string, at config.Place) {
		if word == "" {
			return
		}
		wrong, next, sure := c.StrangeModel(word)
		if wrong == "" {
			return
		}
		text := wrong + ": " + next
		found = append(found, Finding{File: at.File, Line: at.Line, Key: key, Message: text, Certain: sure})
	}
	models := cmp.Or(c.Models, &config.Models{})
	means := func(word string) string { return cmp.Or(models.Aliases[word], word) }
	add("model", means(c.Model), c.At("model"))
	for _, word := range models.Fallback {
		add("models.fallback", means(word), c.At("models", "fallback"))
	}
	for _, alias := range slices.Sorted(maps.Keys(models.Aliases)) {
		add("models.aliases."+alias, models.Aliases[alias], c.At("models", "aliases", alias))
	}
	return found
}
