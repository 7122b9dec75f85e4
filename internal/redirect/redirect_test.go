package redirect_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"helve/internal/redirect"
)

// A request with a key in a header of its own name and a body goes on within its server, and to no other.
func TestAKeyStaysWithItsServer(t *testing.T) {
	var stolen []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		stolen = append(stolen, r.Header.Get("X-Api-Key"))
	}))
	defer other.Close()
	mux := http.NewServeMux()
	mux.Handle("/away", http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	mux.Handle("/round", http.RedirectHandler("/round", http.StatusTemporaryRedirect))
	mux.Handle("/moved", http.RedirectHandler("/here", http.StatusTemporaryRedirect))
	mux.HandleFunc("/here", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Api-Key") != "k" || r.ContentLength != 4 {
			w.WriteHeader(http.StatusBadRequest)
		}
	})
	own := httptest.NewServer(mux)
	defer own.Close()
	client := http.Client{CheckRedirect: redirect.Within}
	send := func(path string) (*http.Response, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, own.URL+path, strings.NewReader("body"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Api-Key", "k")
		res, err := client.Do(r)
		if err == nil {
			res.Body.Close()
		}
		return res, err
	}
	if res, err := send("/moved"); err != nil || res.StatusCode != http.StatusOK {
		t.Errorf("within its server: %v, %v", res, err)
	}
	for _, path := range []string{"/away", "/round"} {
		if _, err := send(path); !errors.Is(err, redirect.ErrElsewhere) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if len(stolen) > 0 {
		t.Errorf("the other server got %q", stolen)
	}
}

func TestOriginsAreSchemeAndHost(t *testing.T) {
	for raw, want := range map[string]string{
		"HTTPS://A.example:8443/x?y": "https://a.example:8443",
		"http://a.example":           "http://a.example",
		"http://[::1":                "",
	} {
		if got := redirect.Origin(raw); got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
}
