package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"helve/cmd/internal/app"
	"helve/cmd/internal/command"
)

// block is what stands in docs/scaleout.md in a block of a language.
func block(t *testing.T, language string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "scaleout.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(b), "```"+language+"\n")
	text, _, closed := strings.Cut(after, "```\n")
	if !found || !closed {
		t.Fatalf("docs/scaleout.md has no block of %s", language)
	}
	return text
}

// takes checks that helve takes a command line: with --help it reads all of it and does nothing.
func takes(t *testing.T, args []string) {
	t.Helper()
	var said strings.Builder
	env := command.Environment{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &said, Dir: t.TempDir(), Bus: bus{}}
	if status := app.Main(context.Background(), append(slices.Clone(args), "--help"), env); status != 0 {
		t.Errorf("helve %s: %s", strings.Join(args, " "), said.String())
	}
}

// unitKeys are the settings of systemd that the units use, by section: a name that is misspelt is not read by systemd.
var unitKeys = map[string][]string{
	"Unit":    {"Description", "Wants", "After"},
	"Service": {"User", "ExecStart", "TimeoutStopSec", "Restart"},
	"Install": {"WantedBy"},
}

func TestTheUnitsForSystemdAreThoseOfPrograms(t *testing.T) {
	head := regexp.MustCompile(`(?m)^# /etc/systemd/system/(\S+)\n`)
	text := block(t, "ini")
	at := head.FindAllStringSubmatchIndex(text, -1)
	if len(at) != 2 {
		t.Fatalf("%d units, want a worker and a gateway", len(at))
	}
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		checkUnit(t, text[m[2]:m[3]], text[m[1]:end])
	}
}

func checkUnit(t *testing.T, name, text string) {
	t.Helper()
	section, commands := "", 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if s, ok := strings.CutPrefix(line, "["); ok {
			section = strings.TrimSuffix(s, "]")
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		switch {
		case line == "":
		case !ok || value == "" || !slices.Contains(unitKeys[section], key):
			t.Errorf("%s: [%s] %q", name, section, line)
		case key == "ExecStart":
			commands++
			words := strings.Fields(value)
			if words[0] != "/usr/local/bin/helve" {
				t.Errorf("%s runs %s", name, words[0])
			}
			takes(t, words[1:])
		}
	}
	if commands != 1 {
		t.Errorf("%s has %d commands", name, commands)
	}
	verify, err := exec.LookPath("systemd-analyze")
	if err != nil {
		return // the rest holds without it
	}
	// It wants the program to be there.
	file := filepath.Join(t.TempDir(), name)
	there := strings.ReplaceAll(text, "/usr/local/bin/helve", os.Args[0])
	if err := os.WriteFile(file, []byte(there), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(verify, "verify", "--man=no", file)
	out, _ := cmd.CombinedOutput() // where no systemd runs it says so and fails
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, name) && regexp.MustCompile(`(?i)unknown|invalid|failed to parse|not executable`).MatchString(line) {
			t.Errorf("systemd-analyze: %s", line)
		}
	}
}

// A deployment is what of Kubernetes' apps/v1 Deployment the manifest uses: any other word is an error.
type deployment struct {
	APIVersion string   `yaml:"apiVersion"`
	Kind       string   `yaml:"kind"`
	Metadata   metadata `yaml:"metadata"`
	Spec       struct {
		Replicas int `yaml:"replicas"`
		Selector struct {
			MatchLabels map[string]string `yaml:"matchLabels"`
		} `yaml:"selector"`
		Template struct {
			Metadata metadata `yaml:"metadata"`
			Spec     podSpec  `yaml:"spec"`
		} `yaml:"template"`
	} `yaml:"spec"`
}

type metadata struct {
	Name   string            `yaml:"name"`
	Labels map[string]string `yaml:"labels"`
}

type podSpec struct {
	Grace      int `yaml:"terminationGracePeriodSeconds"`
	Containers []struct {
		Name   string   `yaml:"name"`
		Image  string   `yaml:"image"`
		Args   []string `yaml:"args"`
		Mounts []struct {
			Name     string `yaml:"name"`
			Path     string `yaml:"mountPath"`
			ReadOnly bool   `yaml:"readOnly"`
		} `yaml:"volumeMounts"`
	} `yaml:"containers"`
	Volumes []struct {
		Name  string `yaml:"name"`
		Claim struct {
			Name string `yaml:"claimName"`
		} `yaml:"persistentVolumeClaim"`
		Secret struct {
			Name string `yaml:"secretName"`
			Mode int    `yaml:"defaultMode"`
		} `yaml:"secret"`
	} `yaml:"volumes"`
}

func TestTheManifestForKubernetesIsADeploymentOfWorkers(t *testing.T) {
	var d deployment
	read := yaml.NewDecoder(strings.NewReader(block(t, "yaml")))
	read.KnownFields(true)
	if err := read.Decode(&d); err != nil {
		t.Fatal(err)
	}
	if d.APIVersion != "apps/v1" || d.Kind != "Deployment" || d.Metadata.Name == "" || d.Spec.Replicas < 2 {
		t.Errorf("%s %s %q, %d replicas", d.APIVersion, d.Kind, d.Metadata.Name, d.Spec.Replicas)
	}
	for k, v := range d.Spec.Selector.MatchLabels {
		if d.Spec.Template.Metadata.Labels[k] != v {
			t.Errorf("the selector wants %s=%s, which the pods are not called", k, v)
		}
	}
	pod := d.Spec.Template.Spec
	if len(d.Spec.Selector.MatchLabels) == 0 || len(pod.Containers) != 1 || pod.Grace <= 10 {
		t.Errorf("%+v: want a selector, one container, and more time to end than the calls get", d.Spec)
	}
	volumes := map[string]bool{}
	for _, v := range pod.Volumes {
		volumes[v.Name] = true
		if secret := v.Secret.Name != ""; secret == (v.Claim.Name != "") || secret && v.Secret.Mode != 0o400 {
			t.Errorf("%+v: want a claim, or a secret that only its owner reads", v)
		}
	}
	for _, m := range pod.Containers[0].Mounts {
		if !volumes[m.Name] || !strings.HasPrefix(m.Path, "/") {
			t.Errorf("%+v: there is no such volume", m)
		}
	}
	takes(t, pod.Containers[0].Args)
}
