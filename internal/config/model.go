package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"helve/internal/names"
)

// ProviderKinds are what the servers of models speak, and the providers that need no configuration.
func ProviderKinds() []string {
	return []string{"openai", "openai-responses", "anthropic", "gemini", "ollama"}
}

// families are how the names of well-known models and their makers begin, and the provider that has them. The first
// that fits counts.
func families() [][2]string {
	return [][2]string{
		{"gpt-oss", "ollama"}, {"gpt", "openai"}, {"chatgpt", "openai"}, {"codex", "openai"},
		{"o1", "openai"}, {"o3", "openai"}, {"o4", "openai"},
		{"claude", "anthropic"}, {"sonnet", "anthropic"}, {"opus", "anthropic"}, {"haiku", "anthropic"},
		{"gemini", "gemini"}, {"google", "gemini"},
		{"llama", "ollama"}, {"qwen", "ollama"}, {"mistral", "ollama"}, {"deepseek", "ollama"}, {"gemma", "ollama"},
	}
}

// familyOf is the provider of a well-known model; "": it is none.
func familyOf(model string) string {
	model = strings.ToLower(model)
	for _, f := range families() {
		if strings.HasPrefix(model, f[0]) {
			return f[1]
		}
	}
	return ""
}

// StrangeModel says what is wrong with a word for a model, and what to do next: "" where it is PROVIDER/NAME with a
// provider that is known. Aliases are the caller's to look up. sure tells that no configuration makes it right but an
// alias of that name, which would be a strange one.
func (v *Values) StrangeModel(word string) (wrong, next string, sure bool) {
	provider, name, _ := strings.Cut(word, "/")
	if provider == "" || name == "" {
		wrong = fmt.Sprintf("want a model as PROVIDER/NAME, got %q", shorten(word))
		if near := familyOf(word); near != "" {
			return wrong, meant(near, word), true
		}
		return wrong, "as openai/…, anthropic/…, gemini/…, ollama/… or an alias; " + modelsList, false
	}
	known := append(ProviderKinds(), slices.Sorted(maps.Keys(v.Providers))...)
	if slices.Contains(known, provider) {
		return "", "", false
	}
	wrong = fmt.Sprintf("provider %q is not known", shorten(provider))
	if near := nearProvider(provider, known); near != "" {
		return wrong, meant(near, name), false
	}
	kinds := strings.Join(ProviderKinds(), ", ")
	return wrong, kinds + ", or one of providers in your configuration; " + modelsList, false
}

const modelsList = "helve models lists those that can be asked"

func meant(provider, name string) string {
	return fmt.Sprintf("did you mean %q? helve models %s lists what it has", provider+"/"+shorten(name), provider)
}

// nearProvider is the provider that a word may have meant; "": none is near.
func nearProvider(word string, known []string) string {
	if near := names.Near(word, known, 1); len(near) > 0 {
		return near[0]
	}
	return familyOf(word)
}
