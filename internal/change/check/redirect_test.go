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
		{"where all is pushed", before + "[remote]\n\tpushDefault = evil\n", true},
	} {
		why := judgeConfig([]byte(c.after), []byte(before), func(string) bool { return true })
		if (why != "") != c.held {
			t.Errorf("%s: %q", c.name, why)
		}
	}
}
