package codetool

import (
	"encoding/json"
	"path"
	"strings"
)

var goTests = testRunner{
	folder: true,
	of: func(a *affectedRow) string {
		switch {
		case a.Name == "TestMain" || a.Kind == "method" && called(a, "Test"): // of a suite, which one function runs
			return ""
		case called(a, "Test", "Fuzz", "Example"):
			return a.Name
		}
		return helper
	},
	command: func(p *project, dir string, names []string) string {
		module, _ := p.above(dir, "go.mod")
		target := "./" + below(module, dir)
		if dir == module || dir == "." {
			target = "."
		}
		command := "go test " + word(target)
		if len(names) > 0 {
			command = "go test -run " + word(anyOf(names)) + " " + word(target)
		}
		return inFolder(module, command)
	},
}

var pytest = testRunner{
	of: func(a *affectedRow) string {
		if !called(a, "test") {
			return ""
		}
		return strings.Join(qualified(a), "::")
	},
	command: func(_ *project, file string, names []string) string {
		if path.Base(file) == "conftest.py" {
			return "pytest " + word(path.Dir(file))
		}
		if len(names) == 0 {
			return "pytest " + word(file)
		}
		var ids []string
		for _, n := range names {
			ids = append(ids, file+"::"+n)
		}
		return "pytest " + words(ids)
	},
}

// whole is the name of no test: the runner takes files.
func whole(*affectedRow) string { return "" }

var scriptTests = testRunner{
	of: whole,
	command: func(p *project, file string, _ []string) string {
		folder, _ := p.above(path.Dir(file), "package.json")
		target := word(below(folder, file))
		return inFolder(folder, scriptRunner(p.read(path.Join(folder, "package.json")))+" "+target)
	},
}

// scriptRunner is the runner that a package.json speaks of, in its script "test" or among what it needs; node's own
// where there is none.
func scriptRunner(manifest []byte) string {
	var m struct {
		Scripts map[string]string `json:"scripts"`
		Needs   map[string]any    `json:"dependencies"`
		Dev     map[string]any    `json:"devDependencies"`
	}
	err := json.Unmarshal(manifest, &m)
	if err != nil {
		return "node --test"
	}
	known := []struct{ name, command string }{
		{"vitest", "npx vitest run"},
		{"jest", "npx jest"},
		{"mocha", "npx mocha"},
		{"ava", "npx ava"},
		{"playwright", "npx playwright test"},
	}
	for _, k := range known {
		if strings.Contains(m.Scripts["test"], k.name) {
			return k.command
		}
	}
	for _, k := range known {
		if m.Needs[k.name] != nil || m.Dev[k.name] != nil {
			return k.command
		}
	}
	return "node --test"
}

var javaTests = testRunner{
	of: func(a *affectedRow) string {
		q := qualified(a)
		if !called(a, "test", "should") || len(q) < 2 { // others are known by annotations
			return ""
		}
		return q[len(q)-2] + "#" + q[len(q)-1]
	},
	command: func(p *project, file string, names []string) string {
		folder, build := p.above(path.Dir(file), "pom.xml", "build.gradle", "build.gradle.kts")
		if len(names) == 0 {
			names = []string{strings.TrimSuffix(path.Base(file), path.Ext(file))}
		}
		if build == "pom.xml" || build == "" {
			class, _, _ := strings.Cut(names[0], "#")
			only := strings.Join(names, ",")
			return inFolder(folder, "mvn test -Dtest="+word(strings.ReplaceAll(only, ","+class+"#", "+")))
		}
		command := "gradle test"
		if p.has(path.Join(folder, "gradlew")) {
			command = "./gradlew test"
		}
		for _, n := range names {
			command += " --tests " + word("*"+strings.ReplaceAll(n, "#", "."))
		}
		return inFolder(folder, command)
	},
}

var cargoTests = testRunner{
	of: func(a *affectedRow) string {
		if !called(a, "test") { // others are known by their attribute
			return ""
		}
		return strings.Join(qualified(a), "::")
	},
	command: func(p *project, file string, names []string) string {
		folder, _ := p.above(path.Dir(file), "Cargo.toml")
		command := "cargo test"
		if path.Base(path.Dir(file)) == "tests" && below(folder, path.Dir(file)) == "tests" {
			command += " --test " + word(strings.TrimSuffix(path.Base(file), ".rs"))
		}
		if len(names) > 0 {
			command += " -- " + words(names)
		}
		return inFolder(folder, command)
	},
}

var rubyTests = testRunner{
	of: func(a *affectedRow) string {
		if called(a, "test_") {
			return a.Name
		}
		return ""
	},
	command: func(_ *project, file string, names []string) string {
		switch {
		case strings.HasSuffix(file, "_spec.rb"):
			return "bundle exec rspec " + word(file)
		case len(names) == 0:
			return "ruby -Ilib -Itest " + word(file)
		}
		return "ruby -Ilib -Itest " + word(file) + " -n " + word("/"+anyOf(names)+"/")
	},
}

var phpTests = testRunner{
	of: func(a *affectedRow) string {
		if called(a, "test") {
			return a.Name
		}
		return ""
	},
	command: func(p *project, file string, names []string) string {
		folder, _ := p.above(path.Dir(file), "composer.json")
		target := word(below(folder, file))
		if len(names) > 0 {
			target = "--filter " + word("/::("+strings.Join(names, "|")+")( |$)/") + " " + target
		}
		return inFolder(folder, "vendor/bin/phpunit "+target)
	},
}

var dotnetTests = testRunner{
	of: func(a *affectedRow) string {
		q := qualified(a)
		if a.Kind != "method" || len(q) < 2 {
			return ""
		}
		return q[len(q)-2] // methods are known by attributes
	},
	command: func(_ *project, file string, names []string) string {
		if len(names) == 0 {
			names = []string{strings.TrimSuffix(path.Base(file), path.Ext(file))}
		}
		return "dotnet test --filter " + word("FullyQualifiedName~"+strings.Join(names, "|FullyQualifiedName~"))
	},
}

// gtests are tests of GoogleTest, whose names the reader of C++ takes from TEST(Suite, Name). Which program holds
// them, only the build knows.
var gtests = testRunner{
	of: func(a *affectedRow) string {
		if q := qualified(a); a.Kind == "method" && len(q) >= 2 {
			return strings.Join(q[len(q)-2:], ".")
		}
		return helper
	},
	command: func(p *project, file string, names []string) string {
		filter := ""
		if len(names) > 0 {
			filter = strings.Join(names, ":")
		}
		if folder, _ := p.above(path.Dir(file), "BUILD.bazel", "BUILD"); folder != "" {
			command := "bazel test " + word("//"+path.Join(below(".", folder), "..."))
			if filter != "" {
				command += " --test_filter=" + word(filter)
			}
			return command
		}
		if filter == "" {
			return "ctest"
		}
		return "TEST_PROGRAM --gtest_filter=" + word(filter)
	},
}
