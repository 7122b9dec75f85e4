package powershell

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"helve/engine/shell"
)

// windows is a workspace on a drive, other one on Linux, where PowerShell runs, too.
var (
	windows = shell.Options{Dir: `C:\Users\ada\My Shop`, Home: `C:\Users\ada`}
	other   = shell.Options{Dir: "/home/ada/shop", Home: "/home/ada"}
)

// What only reads is a list. Each line here is what a person or a model types to look around.
func TestWhatOnlyReadsIsReadOnly(t *testing.T) {
	for _, src := range []string{
		"Get-ChildItem",
		"gci -Recurse -Filter *.go",
		"ls src",
		`dir .\src\*.cs -Name`,
		"Get-Content readme.md -TotalCount 20",
		`cat 'a file.txt'`,
		`cat "a file.txt"`,
		"type a.txt",
		`Get-Content 'C:\users\ADA\my shop\a.txt'`,
		`Get-Content -Path:a.txt -Raw`,
		"Get-Content a.txt, b.txt | Select-Object -First 5",
		"Get-ChildItem -Recurse | Where-Object Name -like '*.go' | Measure-Object",
		"Get-ChildItem | Sort-Object Length -Descending | Select-Object -First 3 | Format-Table -AutoSize",
		"Select-String -Path *.go -Pattern 'func main'",
		"sls TODO *.go -Context 2,2",
		"Test-Path go.mod; pwd",
		"git status --short",
		"git log --oneline -n 5 | Select-Object -First 3",
		"go version && git diff HEAD~1",
		"Write-Output 'it''s fine' # a comment with Remove-Item",
		"echo ok 2>$null",
		"Get-Process -Name go -ErrorAction SilentlyContinue 2>&1 | Out-String",
		"ConvertFrom-Json '{}'",
		"Get-ChildItem\r\nGet-Location",
		"whoami",
		"Get-Random -Maximum 10 > $null",
		"<# nothing #> hostname",
	} {
		if a := Analyze(src, windows); a.Verdict != shell.ReadOnly || a.Reason != "" {
			t.Errorf("%s: %v: %s", src, a.Verdict, a.Reason)
		}
	}
}

// Everything that is not on the list is asked about, with a reason that names the cause.
func TestEverythingElseIsAskedAbout(t *testing.T) {
	for _, c := range []struct{ src, why string }{
		{"npm install", "npm"},
		{"Remove-Item a.txt", "Remove-Item is not known to only read"},
		{"rm -Recurse build", "rm is not known to only read"},
		{"del *.log", "del"},
		{"make", "make"},
		{"Set-Content a.txt hello", "Set-Content"},
		{"echo hello > a.txt", "written to a file"},
		{"echo hello >> a.txt", "written to a file"},
		{"ls 3> a.txt", "written to a file"},
		{"> a.txt", "written to a file"},
		{"cat ..\\other\\a.txt", "outside the workspace"},
		{`cat C:\Windows\win.ini`, "outside the workspace"},
		{`cat \Windows\win.ini`, "outside the workspace"},
		{`cat D:\a.txt`, "outside the workspace"},
		{`cat D:a.txt`, "no plain path"},
		{`cat \\server\share\a.txt`, "no plain path"},
		{"cat //server/share/a.txt", "no plain path"},
		{"cat a.txt:stream", "no plain path"},
		{"ls env:", "no plain path"},
		{"ls Env:\\", "no plain path"},
		{`ls HKLM:\SOFTWARE`, "no plain path"},
		{`cat FileSystem::C:\a`, "no plain path"},
		{"cat ~/.ssh/id_rsa", "outside the workspace"},
		{"cat .env", "may hold secrets"},
		{"cat .env.", "may hold secrets"},
		{`cat conf\.ENV`, "may hold secrets"},
		{"cat .e*", "may match files that hold secrets"},
		{"cat '.e*'", "may match files that hold secrets"}, // quotes do not keep a pattern from being one
		{"cat server.key", "may hold secrets"},
		{"cat $file", "variable"},
		{"cat $env:APPDATA\\x", "variable"},
		{`echo "$(Remove-Item a.txt)"`, "computed"},
		{"ls | ForEach-Object { Remove-Item $_ }", "a script block"},
		{"ls | % { rm $_ }", "a script block"},
		{"ls | Where-Object { $_.Length -gt 5 }", "a script block"},
		{"(Get-Item a.txt).Delete()", "computed"},
		{"[IO.File]::Delete('a.txt')", ""},
		{"& .\\build.ps1", "&"},
		{"& 'git' status", "&"},
		{". .\\profile.ps1", "called by its path"},
		{".\\build.ps1", "a program by its path"},
		{"build.ps1", "not known to only read"},
		{`C:\tools\git.exe status`, "a program by its path"},
		{"'git' status", "an expression"},
		{"git push", "git can run other code"},
		{"git -C C:\\other status", "outside the workspace"},
		{"git --git-dir=C:/other/.git log", "outside the workspace"},
		{"git grep x -- /etc", "outside the workspace"},
		{"iex 'ls'", "iex"},
		{"powershell -Command ls", "powershell"},
		{"cmd /c dir", "cmd"},
		{"cat @files", "variable"},
		{"ls -Foo x", "parameter -Foo is not known"},
		{"ls -OutVariable x", "parameter -OutVariable is not known"},
		{"Get-Content -Wait a.txt", "parameter -Wait"},
		{"whoami /all", "operand /all may change something"},
		{"if (Test-Path a) { ls }", ""},
		{"$x = 'a'", "variable"},
		{"ls `\n| rm", "backtick"},
		{"echo a`nb", "backtick"},
		{"ls; rm a", "rm"},
		{"ls\nrm a", "rm"},
		{"ls && rm a", "rm"},
		{"ls || rm a", "rm"},
		{"ls | rm", "rm"},
		{"ls & rm a", "&"},
		{"cat 'a", "a quote without its end"},
		{`cat "a`, "a quote without its end"},
		{"cat \u2018a.txt\u2019; rm b", "a character that a person may read in another way"},
		{"echo 'a\u2019; rm b; echo \u2018c'", "only looks like"},
		{"echo \"a\u201d; rm b; echo \u201cc\"", "only looks like"},
		{"ls \u2013Recurse", "another way"},
		{"ls\u00a0a", "another way"},
		{"ls \u202ea", "another way"},
		{"git log --% | rm", "--%"},
		{"<# never closed", "comment without its end"},
		{"@'\nls\n'@", "several lines"},
		{"Invoke-WebRequest http://example.com", "Invoke-WebRequest"},
		{"Start-Process notepad", "Start-Process"},
		{"# only a comment", "no command found"},
		{"mkdir x", "mkdir"},
		{"Get-Content", ""},
	} {
		a := Analyze(c.src, windows)
		if c.src == "Get-Content" { // it waits for input, which is empty
			continue
		}
		if a.Verdict != shell.Ask || !strings.Contains(a.Reason, c.why) || a.Reason == "" {
			t.Errorf("%q: %v: %q, want ask with %q", c.src, a.Verdict, a.Reason, c.why)
		}
	}
}

// What destroys a machine is refused wherever it stands. None of this is run.
func TestCatastrophesAreNamed(t *testing.T) {
	coded := func(script string) string {
		var raw []byte
		for _, u := range utf16.Encode([]rune(script)) {
			raw = append(raw, byte(u), byte(u>>8))
		}
		return base64.StdEncoding.EncodeToString(raw)
	}
	for _, src := range []string{
		`Remove-Item -Recurse -Force C:\`,
		`rm -r C:\`,
		`rm C:\* -Recurse -Force`,
		`rd /s /q C:\`,
		`ri -Recurse c:/windows/system32/*`,
		`Remove-Item -Path C:\Users -Rec`,
		`Remove-Item -Path:C:\Users -Recurse:$true`,
		`rm -Recurse ~`,
		`rm -Recurse $HOME`,
		`rm -Recurse "$env:USERPROFILE\*"`,
		`rm -Recurse $env:SystemRoot`,
		`rm -Recurse ${env:SystemDrive}\`,
		`rm -Recurse ..`,
		`rm -Recurse ..\..\*`,
		`rm -Recurse 'C:\Users\Ada'`,
		`rm -Recurse \\?\C:\`,
		`$x = 'C:\'; rm -Recurse $x`,
		`$x='C:\'; Remove-Item -Recurse $x`,
		`Remove-Item HKLM:\SOFTWARE -Recurse`,
		`Remove-Item Registry::HKEY_LOCAL_MACHINE\SOFTWARE -Recurse`,
		`if ($true) { rm -Recurse C:\ }`,
		`ls | % { rm -Recurse C:\ }`,
		`foreach ($d in Clear-Disk 0) { }`,
		`echo "$(rm -Recurse C:\)"`,
		`& { Format-Volume -DriveLetter C }`,
		`& 'Stop-Computer'`,
		`iex 'rm -Recurse C:\'`,
		`powershell -NoProfile -Command "rm -Recurse C:\"`,
		`pwsh -enc ` + coded(`Remove-Item -Recurse C:\`),
		`powershell -EncodedCommand ` + coded(`Remove-Item -Recurse C:\`),
		`cmd /c rd /s /q C:\`,
		`cmd /c "format C: /q"`,
		`Start-Process powershell -ArgumentList 'Clear-Disk 0'`,
		`Stop-Computer -Force`,
		`shutdown /s /t 0`,
		`SHUTDOWN.EXE /r`,
		`C:\Windows\System32\shutdown.exe /s`,
		`Clear-Disk -Number 0 -RemoveData`,
		`diskpart /s x.txt`,
		`format D:`,
		`vssadmin delete shadows /all`,
		`cipher /w:C:\`,
		`bcdedit /delete {current}`,
		`reg delete HKLM\SOFTWARE /f`,
		`icacls C:\ /grant everyone:F /t`,
		`bash -c 'rm -rf /'`,
		`Set-Content .helve\config.json '{}'`,
		`echo x > .helve/config.json`,
		`'{}' | Out-File -FilePath C:\Users\ada\.helve\config.json`,
		`Remove-Item -LiteralPath:.HELVE -Recurse`,
		"ls `\n; rm -Recurse C:\\",
		`Move-Item C:\Windows D:\`,
	} {
		if a := Analyze(src, windows); a.Verdict != shell.Catastrophic || a.Reason == "" {
			t.Errorf("%s: %v: %q", src, a.Verdict, a.Reason)
		}
	}
	for _, src := range []string{"rm -Recurse /", "rm -Recurse /home/ada", "rm -r ~", "rm -Recurse ../*", "Remove-Item -Recurse /etc"} {
		if a := Analyze(src, other); a.Verdict != shell.Catastrophic {
			t.Errorf("%s: %v: %q", src, a.Verdict, a.Reason)
		}
	}
}

// What changes a part of the workspace is rash at most.
func TestOrdinaryChangesAreNoCatastrophes(t *testing.T) {
	for _, src := range []string{
		"rm -Recurse *",
		"rm -Recurse .",
		`rm -Recurse .\build`,
		`rm -Recurse C:\Users\ada\other\build`,
		`Remove-Item "C:\Users\ada\My Shop\*"`,
		"rm *.log",
		`rm C:\a.txt`,
		`Move-Item a.txt C:\`,
		`Copy-Item -Recurse C:\Windows\Fonts fonts`,
		"Stop-Process -Id 5",
		"format-table",
		`Remove-Item HKCU:\Software\Shop\Cache -Recurse`,
		"icacls build /t",
		"cipher /e build",
		"reg query HKLM",
		`Set-Content helve\config.json x`,
		"powershell -File build.ps1",
		"powershell -EncodedCommand !!!",
		"cmd",
		"iex",
	} {
		if a := Analyze(src, windows); a.Verdict == shell.Catastrophic {
			t.Errorf("%s: %s", src, a.Reason)
		}
	}
}

// Rules see the words: the command as PowerShell writes it, and the name that was typed.
func TestRulesSeeTheWordsOfEachCommand(t *testing.T) {
	a := Analyze(`RM -Path:a.txt,'b c.txt'; GIT.exe push "origin"`, windows)
	if len(a.Commands) != 2 {
		t.Fatalf("%+v", a.Commands)
	}
	rm, git := a.Commands[0], a.Commands[1]
	if want := []string{"Remove-Item", "-Path", "a.txt", "b c.txt"}; !slices.Equal(rm.Words, want) || rm.Program != "rm" {
		t.Errorf("%q %q, want %q", rm.Program, rm.Words, want)
	}
	if want := []string{"git", "push", "origin"}; !slices.Equal(git.Words, want) || git.Program != "git" || !git.Static {
		t.Errorf("%q %q, want %q", git.Program, git.Words, want)
	}
	for _, pattern := range []string{"rm *", "Remove-Item *"} {
		if !shell.Touches(pattern, rm) {
			t.Errorf("a rule on %s does not meet %q", pattern, rm.Words)
		}
	}
	if !a.Covered([]string{"Remove-Item *", "git push *"}) || a.Covered([]string{"git push *"}) {
		t.Error("rules that allow every command allow the line, and others do not")
	}
	if Analyze("git push; echo $(ls)", windows).Covered([]string{"*"}) {
		t.Error("a part that is computed is covered by a rule on commands")
	}
}

// A rule on reading or writing meets commands, too.
func TestTheEffectsNameTheFiles(t *testing.T) {
	for _, c := range []struct {
		src  string
		want shell.Effect
	}{
		{`cat conf\a.txt`, shell.Effect{Kind: shell.Read, Target: "conf/a.txt"}},
		{`cat 'C:\Users\ada\My Shop\Conf\..\Conf\A.txt'`, shell.Effect{Kind: shell.Read, Target: "Conf/A.txt"}},
		{`Set-Content -Path conf\a.txt -Value x`, shell.Effect{Kind: shell.Write, Target: "conf/a.txt"}},
		{`echo x > conf\a.txt`, shell.Effect{Kind: shell.Write, Target: "conf/a.txt"}},
		{`rm C:\a.txt`, shell.Effect{Kind: shell.Write, Target: "c:/a.txt"}},
		{`rm $x`, shell.Effect{Kind: shell.Write, Target: "*"}},
	} {
		if a := Analyze(c.src, windows); !slices.Contains(a.Effects, c.want) {
			t.Errorf("%s: %+v lack %+v", c.src, a.Effects, c.want)
		}
	}
}

func TestTextsThatAreNoCommandAreRefused(t *testing.T) {
	for src, want := range map[string]error{
		" \n":                                  shell.ErrEmpty,
		"ls \x00":                              shell.ErrNUL,
		strings.Repeat("a", shell.MaxLength+1): shell.ErrTooLong,
	} {
		if a := Analyze(src, windows); a.Err != want || a.Verdict != shell.Ask || a.Reason == "" {
			t.Errorf("%.20q: %v %v %q", src, a.Err, a.Verdict, a.Reason)
		}
	}
}

func TestAReasonHasItsPlace(t *testing.T) {
	a := Analyze("ls\n  make all", windows)
	if a.Line != 2 || a.Col != 3 {
		t.Errorf("%d:%d %s", a.Line, a.Col, a.Reason)
	}
}

// No text stops the analysis, and a read-only one never gains a command by what is put behind it.
func FuzzAnalyze(f *testing.F) {
	for _, s := range []string{
		"ls", `rm -r "C:\$x"`, "a | % { b $_ } > c", "@'\nx\n'@", "$(((", "}})", `"$("`, "`", "${", "iex 'iex ''ls'''", "<#",
		"powershell -enc AAAA", "2>", ">>", "@{", "foreach ($a in b) { c }", "'\u2019", "--%", "$x=$x=1", "\xff\xfe",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		a := Analyze(src, windows)
		if a.Verdict != shell.ReadOnly && a.Reason == "" {
			t.Errorf("%q: %v without a reason", src, a.Verdict)
		}
		if a.Verdict != shell.ReadOnly || strings.ContainsAny(src, "'\"#`") || len(src) > 1000 {
			return
		}
		if b := Analyze(src+"; Remove-Item x", windows); b.Verdict == shell.ReadOnly {
			t.Errorf("%q: read-only also with Remove-Item behind it", src)
		}
	})
}
