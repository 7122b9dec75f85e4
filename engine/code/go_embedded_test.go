package code

import "testing"

// TestWhatATypeEmbedsImplementsForIt: of an interface whose methods a type has from several others, or from an interface in it.
func TestWhatATypeEmbedsImplementsForIt(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"go.mod": "module m\n",
		"wal/wal.go": "package wal\ntype WAL struct{}\nfunc (*WAL) Save() {}\nfunc (*WAL) Close() {}\n" +
			"type Snap struct{}\nfunc (*Snap) Release() {}\n",
		"a.go": "package m\nimport \"m/wal\"\ntype Storage interface{ Save(); Close(); Release() }\n" +
			"type storage struct{ *wal.WAL; *wal.Snap }\nfunc (*storage) Close() {}\nfunc run(s Storage) { s.Save(); s.Close() }\n",
		"b.go": "package m\ntype View interface{ Rev() int }\ntype Getter interface{ Rev() int }\ntype store struct{ View }\n",
	})
	wantUsers(t, s, "Storage", "a.go#run use exact", "a.go#storage implements unique name")
	wantUsers(t, s, "Storage.Save", "a.go#run call exact", "wal/wal.go#WAL.Save implements unique name")
	wantUsers(t, s, "WAL.Save", "a.go#run call unique name")
	wantUsers(t, s, "WAL.Close")
	wantUsers(t, s, "storage.Close", "a.go#run call unique name")
	wantUsers(t, s, "Getter", "b.go#store implements unique name")
}
