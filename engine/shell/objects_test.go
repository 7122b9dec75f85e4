package shell

import "testing"

// What git keeps of a file is as secret as the file: however it is named, the line is asked about.
func TestSecretsInGitsObjectsAreAskedAbout(t *testing.T) {
	for _, src := range []string{
		"git show HEAD:.env", "git show :.env", "git show :0:.env", "git show @:./.env", "git show HEAD~3:sub/.env",
		"git show --no-color HEAD:.env", "git -C sub show HEAD:.env", "git show 'HEAD:.env' | tee /dev/stderr",
		"git cat-file -p HEAD:.env", "git cat-file blob HEAD:.env", "git cat-file --textconv HEAD:.env",
		"git cat-file -p :1:id_rsa", "echo HEAD:.env | git cat-file --batch", "echo HEAD:.env | xargs git show",
		"git diff HEAD:.env x", "git diff HEAD:.env..HEAD:a", "git diff HEAD:a..HEAD:.env", "git diff --no-index x .env",
		"git show HEAD -- .env", "git blame .env", "git log -p -- .env", "git log -p -- ':(top).env'",
		"git log -p -- ':(top,icase)sub/.env'", "git log -L1,5:.env", "git log -L 1,5:.env",
		"git grep -n . HEAD -- .env", "git grep -n . HEAD:.env", "git archive HEAD .env", "git archive HEAD:.ssh",
		"git stash show -p -- .env", "git whatchanged -p -- .env", "git show {HEAD,main}:.env", "git show HEAD:.ENV",
		"git rev-list --objects HEAD -- .env | tee /dev/stderr", "cat <(git show HEAD:.env)",
	} {
		a := Analyze(src, workspace)
		if a.Verdict == ReadOnly || a.Tries {
			t.Errorf("%q: %s, tries %v", src, a.Verdict, a.Tries)
		}
	}
}

// Names behind colons that are no secrets, and those that are left out, are no reason to ask.
func TestGitsOtherObjectsAreNotAskedAbout(t *testing.T) {
	for _, src := range []string{
		"git show HEAD:main.go", "git show HEAD~3:sub/env.go", "git cat-file -p HEAD:go.mod", "git show :/env",
		"git diff HEAD:a..HEAD:b", "git log -L1,5:main.go", "git log -p -- ':(top)main.go'", "git archive HEAD:sub",
		"git grep -n TODO -- ':!.env'", "git log -p -- ':^.env'", "git log -p -- ':(exclude).env'",
		"git log --format='%h: %s' --since=12:00", "git cat-file -p HEAD", "git stash show -p",
	} {
		a := Analyze(src, workspace)
		if a.Verdict != ReadOnly && !a.Tries {
			t.Errorf("%q: %s: %s", src, a.Verdict, a.Reason)
		}
	}
}
