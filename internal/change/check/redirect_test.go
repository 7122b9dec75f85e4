package check

import "testing"

func TestARemoteThatWasThereKeepsItsAddress(t *testing.T) {
	const before = "[remote \"origin\"]\n\turl = https://host/x\n[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n"
	for _, c := range []struct {
		name, after string
		held        bool
	}{
		{"nothing", before, false},
		{"another remote", before + "[remote \"fork\"]\n\turl = https://fork/x\n", false},
		{"another branch", before + "[branch \"b\"]\n\tremote = origin\n\tmerge = refs/heads/b\n", false},
		{"another address", "[remote \"origin\"]\n\turl = https://evil/x\n", true},
		{"an address more", before + "[remote \"origin\"]\n\turl = https://evil/x\n", true},
		{"an address to push to", before + "[remote \"origin\"]\n\tpushurl = https://evil/x\n", true},
		{"another remote of a branch", before + "[branch \"main\"]\n\tremote = evil\n", true},
		{"where a branch is pushed", before + "[branch \"main\"]\n\tpushRemote = evil\n", true},
		{"another form of what is pushed", before + "[remote \"origin\"]\n\tmirror = true\n", true},
		{"the remote goes", "[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n", true},
		{"the remote has another name", "[remote \"up\"]\n\turl = https://host/x\n", true},
		{"a mirror", before + "[remote \"m\"]\n\turl = https://m/x\n\tmirror = true\n", false},
		{"where all is pushed", before + "[remote]\n\tpushDefault = evil\n", true},
	} {
		why := judgeConfig([]byte(c.after), []byte(before), func(string) bool { return true })
		if (why != "") != c.held {
			t.Errorf("%s: %q", c.name, why)
		}
	}
}
