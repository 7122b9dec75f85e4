package shell

import "testing"

// The places, spellings and detours behind which the whole system, a home or everything around the workspace would go.
func TestCatastrophesAreRefusedBehindDetours(t *testing.T) {
	for _, src := range []string{
		// Where the command stands.
		"cd / && rm -rf *", "cd /; rm -rf *", "cd /\nrm -rf *", "cd / && rm -rf .", "cd / && rm -rf ./*", "cd / && ls && rm -rf *", "cd / || exit; rm -rf *", "pushd / && rm -rf *", "cd -P -- / && rm -rf *",
		"(cd / && rm -rf *)", "(cd /; rm -rf etc)", "cd /usr && rm -rf bin", "cd ~ && rm -rf *", "cd; rm -rf *", "cd $HOME && rm -rf .", `cd "$HOME" && rm -rf ./*`, "cd /home && rm -rf u", "cd .. && rm -rf repo", "cd ../.. && rm -rf *",
		"cd / && find . -delete", "cd / && find -delete", "cd / && chmod -R 777 .", "cd / && chown -R me *", "cd / && mv * /tmp/x", "sh -c 'cd / && rm -rf *'", "bash -c \"cd /; rm -rf .\"", "eval 'cd /' && rm -rf *", "env -C / rm -rf .",
		"env --chdir=/ rm -rf etc", "sudo -D / rm -rf etc", "cd / && rm -rf $PWD", `cd /etc && rm -rf "$PWD"/*`, "cd /etc && cd .. && rm -rf *", "cd /tmp && cd - && cd / && rm -rf *", "for i in 1; do cd / && rm -rf *; done", "if cd /; then rm -rf *; fi",
		"cd / && sudo rm -rf *", "cd / && xargs rm -rf <<< etc", "x=/; cd $x && rm -rf *",
		// How the words are written.
		"rm -rf {/,/etc}", "rm -rf /{etc,usr}", "{rm,-rf,/}", "rm -rf {~,x}", "rm -rf /{e..f}tc", `$'\x72m' -rf /`, `$'\162\155' -rf /`, `rm -rf $'\x2f'`, `rm -rf $'\u002f'`, `$'r\x6d\0junk' -rf /`, `rm $'-\x72f' /`, `rm -rf "${HOME:?}"`, `rm -rf ${HOME:?unset}/`,
		`rm -rf "${HOME:-/x}"`, `rm -rf ${HOME%/}`, `rm -rf -- "$HOME"/`, `rm -rf "$HOME"/.`, `rm -rf ${x:-/}`, "rm -rf ~+/../..", "rm -rf /ho*/*", "rm -rf /home/u*", "rm -rf /u[s]r", "/bin/r? -rf /", "/???/rm -rf /", "$(echo rm) -rf /", "`echo rm` -rf /",
		"rm -rf $(echo /)", `rm -rf "$(printf /etc)"`, "$(which rm) -rf /", "$(command -v rm) -rf /", "a=(rm -rf /); \"${a[@]}\"", "set -- rm -rf /; \"$@\"", "set -- /; rm -rf $1", "IFS=,; x=rm,-rf,/; $x", "x=/; rm -rf ${x}etc", "x=r; y=m; $x$y -rf /", "f() { \"$@\"; }; f rm -rf /",
		"rm -rf `pwd`/..", "rm -rf $OLDPWD/../.. /", "rm -f /bin/*", "rm /usr/bin/* /tmp/x", "rm -rf \"/\"*", "rm -rf /.", "rm -rf /..", "rm -rf /etc/.", "rm -rf ///etc//", "rm -rf ~root", "rm -rf /home/*/*",
		// Programs that run others.
		"runuser -u root -- rm -rf /", "runuser -l root -c 'rm -rf /'", "numactl rm -rf /", "numactl --cpunodebind=0 -m 0 rm -rf /", "taskset 1 rm -rf /", "taskset -c 0,1 rm -rf /", "chrt -r 5 rm -rf /", "chrt 5 rm -rf /", "unshare -r rm -rf /", "nsenter -t 1 -m rm -rf /",
		"setpriv --reuid=0 rm -rf /", "flock /tmp/l rm -rf /", "flock -n /tmp/l -c 'rm -rf /'", "watch -n 1 rm -rf /", "watch 'rm -rf /'", "parallel rm -rf ::: /", "parallel 'rm -rf {}' ::: / /etc", "script -c 'rm -rf /' /dev/null", "su -c 'rm -rf /' root", "su root -c 'rm -rf /'",
		"ssh host 'rm -rf /'", "ssh -p 22 u@h -- rm -rf /", "find / -delete", "find / -exec rm -rf {} +", "find / -exec sh -c 'rm -rf \"$0\"' {} \\;", "find / -xdev -type f -exec shred -u {} +", "find / -name '*' -delete", "find / ! -name x -delete", "find -L / -delete", "find /etc /usr -type f -delete",
		"xargs rm -rf <<< /", "echo / | xargs rm -rf", "printf '%s\\n' /etc /usr | xargs rm -rf", "echo / | xargs -I{} rm -rf {}", "echo / | sudo xargs -n 1 rm -rf", "find / | xargs rm -rf", "find / -type f -print0 | xargs -0 rm -f", "ls -d /* | xargs rm -rf", "echo / | parallel rm -rf", "cat <<E | xargs rm -rf\n/\nE",
		"pkexec rm -rf /", "gosu root rm -rf /", "su-exec root rm -rf /", "ip netns exec x rm -rf /", "dumb-init rm -rf /", "tini -- rm -rf /", "cgexec -g cpu:x rm -rf /", "choom -n 1 -- rm -rf /", "chpst -u x rm -rf /", "setarch x86_64 rm -rf /", "poetry run rm -rf /", "uv run rm -rf /", "bundle exec rm -rf /",
		"npm exec -- rm -rf /", "npx -c 'rm -rf /'", "nix-shell --run 'rm -rf /'", "conda run -n x rm -rf /", "direnv exec . rm -rf /", "hyperfine 'rm -rf /'", "docker exec c rm -rf /", "kubectl exec p -- rm -rf /", "git config alias.x '!rm -rf /'", "git config --global core.pager 'rm -rf /'",
		"PAGER='rm -rf /' git log", "GIT_SSH_COMMAND='rm -rf / #' git fetch", "export PROMPT_COMMAND='rm -rf /'", "gdb -batch -ex 'shell rm -rf /'", "vim -c '!rm -rf /' x", "sqlite3 x '.shell rm -rf /'",
		// Text that a shell reads.
		"make -f - <<< $'x:\\n\\trm -rf /'", "make -f - <<'E'\nx:\n\trm -rf /\nE", "make -f /dev/stdin <<< 'x:;rm -rf /'", "make -f - <<'E'\nx:\n\t@-rm -rf /\nE", "echo 'rm -rf /' | sudo sh", "printf 'rm -rf /\\n' | bash -s", "cat <<E | sh\nrm -rf /\nE", "cat <<'E' | bash\ncd /\nrm -rf *\nE",
		"echo rm -rf / | tee /dev/null | sh", "bash < <(echo rm -rf /)", "bash <(echo 'rm -rf /')", "source <(echo rm -rf /)", ". /dev/stdin <<< 'rm -rf /'", "eval \"$(echo rm -rf /)\"", "echo cm0gLXJmIC8K | base64 -d | sh", "base64 -d <<< cm0gLXJmIC8K | bash", "echo '/ fr- mr' | rev | sh",
		"sh -c \"$(echo cm0gLXJmIC8K | base64 -d)\"", "at now <<< 'rm -rf /'", "batch <<< 'rm -rf /'", "ssh host <<< 'rm -rf /'", "ssh host bash <<'E'\nrm -rf /\nE",
		// Other languages, where it is said outright.
		"python3 -c 'import shutil; shutil.rmtree(\"/\")'", "python3 -c \"import shutil; shutil.rmtree('/', ignore_errors=True)\"", "python -c 'import os; os.system(\"rm -rf /\")'", "python3 -c 'import subprocess; subprocess.run([\"rm\",\"-rf\",\"/\"])'",
		"python3 -c 'import subprocess as s; s.check_call(\"rm -rf /\", shell=True)'", "python3 -c 'from shutil import *; rmtree(os.path.expanduser(\"~\"))'", "python3 <<E\nimport shutil\nshutil.rmtree('/')\nE", "echo 'import os; os.system(\"rm -rf /\")' | python3", "python3 - <<< 'import shutil; shutil.rmtree(\"/etc\")'",
		"perl -e 'system(\"rm -rf /\")'", "perl -e '`rm -rf /`'", "perl -MFile::Path -e 'remove_tree(\"/\")'", "perl -e 'exec qw(rm -rf /)'", "ruby -e 'system \"rm -rf /\"'", "ruby -rfileutils -e 'FileUtils.rm_rf(\"/\")'", "node -e 'require(\"fs\").rmSync(\"/\",{recursive:true})'",
		"node -e 'require(\"child_process\").execSync(\"rm -rf /\")'", "node --eval='fs.rmSync(os.homedir(), {recursive: true})'", "php -r 'system(\"rm -rf /\");'", "lua -e 'os.execute(\"rm -rf /\")'", "awk 'BEGIN{system(\"rm -rf /\")}'", "awk 'BEGIN{\"rm -rf /\" | getline}'", "deno eval 'Deno.removeSync(\"/\",{recursive:true})'",
		"rm${IFS}-rf${IFS}/", "rm$IFS-rf$IFS/", "rm --recurs /", "bash -c 'rm -rf \"$1\"' _ /", "bash -c '\"$@\"' _ rm -rf /", "sh -c '$0 -rf /' rm", "{ echo 'rm -rf /'; } | sh", "(echo cd /; echo 'rm -rf *') | sh", "systemctl isolate rescue.target", "kill -9 1", "pkill -9 .", "killall -9 -r .",
		"umount -a", "fdisk /dev/sda <<< w", "echo w | sudo fdisk /dev/sda", "mdadm --zero-superblock /dev/sda1", "zpool destroy tank", "lvremove -f vg/lv", "rm -rf /var/lib/dpkg", "git filter-branch --tree-filter 'rm -rf /'", "git submodule foreach --recursive 'rm -rf /'", "tar cf x --checkpoint=1 --checkpoint-action=exec='rm -rf /' y", "tar xf a --to-command='rm -rf /'",
		"tar -I 'rm -rf /' -cf x y", "rsync -e 'rm -rf /' a b:", "ssh -o ProxyCommand='rm -rf /' h", "make SHELL='rm -rf /'", "socat - EXEC:'rm -rf /'", "osascript -e 'do shell script \"rm -rf /\"'", "node -e 'require(`child_process`).spawnSync(`rm`,[`-rf`,`/`])'", "find / -exec chmod 777 {} +", "sudo python3 -c 'import shutil; shutil.rmtree(\"/\")'", "expect -c 'spawn rm -rf /'", "tclsh <<< 'exec rm -rf /'",
	} {
		if a := Analyze(src, workspace); a.Verdict != Catastrophic || a.Reason == "" || a.Line < 1 {
			t.Errorf("%q: %s (%q), want catastrophic", src, a.Verdict, a.Reason)
		}
	}
}

// The harmless neighbours of all these: asked about, or not even that.
func TestTheNeighboursOfCatastrophesAreNotRefused(t *testing.T) {
	for _, src := range []string{
		"cd build && rm -rf *", "cd build; rm -rf *", "cd ./build && rm -rf .", "cd /work/repo && rm -rf *", "cd /work/repo/build && rm -rf ./*", "cd / && ls", "cd /; ls; cd /work/repo; rm -rf build", "cd / && ls; cd /work/repo && rm -rf *", "(cd / && ls); rm -rf *",
		"(cd /etc && cat hosts) && rm -rf build", "cd /tmp && rm -rf *", "cd /tmp/x && rm -rf .", "cd .. && rm -rf other", "cd / && rm -rf tmp/x", "cd ~ && rm -rf .cache/x", "cd ~/project && rm -rf *", "cd $x && rm -rf *", `cd "$(mktemp -d)" && rm -rf *`, "pushd build && rm -rf * && popd",
		"sh -c 'cd / && ls' && rm -rf *", "$(cd / && ls) ; rm -rf *", "env -C build rm -rf .", "env -C / ls", "make -C /", "git -C / status", "rm -rf *", "rm -rf .", "rm -rf ./*", "rm -rf ./node_modules", "rm -rf node_modules/*", "rm -rf {build,dist}", "rm -rf build/{a,b}", "rm -rf ./{*.o,*.a}", "rm -rf {1..9}.txt",
		"rm -rf /tmp/{a,b}", "rm -rf /work/repo/{build,dist}", `rm -rf "${HOME:?}/.cache/x"`, `rm -rf "${BUILD:?}"`, `rm -rf "${BUILD:-build}"`, `rm -rf "${TMPDIR:-/tmp}/x"`, `rm -rf "$PWD/build"`, "rm -rf $PWD/*", "rm -rf $'build'", "rm -rf $'a\\tb'", "rm -rf $(echo build)", "rm -rf \"$(mktemp -d)\"", "rm -rf $(ls)",
		"rm -f *.o", "rm -f /tmp/*", "rm /usr/local/bin/tool", "rm -f ~/bin/*", "rm -rf /home/u/project/dist", "rm -rf /opt/app/cache", "rm -rf ~/.npm/_cacache", "rm -rf /var/tmp/x", "rm -rf /usr/local/go", "find . -name '*.o' -delete", "find . -type f -name '*.tmp' -exec rm {} +", "find build -delete", "find . -delete",
		"find /tmp -mtime +7 -delete", "find / -name core -delete", "find /usr -name '*.pyc' -delete", "find ~ -name .DS_Store -delete", "find / -name x", "find . -exec sh -c 'echo \"$0\"' {} \\;", "find / -exec grep x {} +", "git clean -fdx", "git rm -r .", "echo build | xargs rm -rf", "git ls-files -o | xargs rm -f",
		"find . -name '*.o' | xargs rm -f", "find . | xargs rm -rf", "ls | xargs rm -rf", "ls -d /* | xargs du -s", "find / -name x | xargs rm", "echo / | xargs ls", "xargs rm -rf <<< build", "parallel rm -rf ::: a b", "echo '/' | tr / _ | xargs rm -rf", "runuser -u nobody -- ls /", "numactl -H", "taskset -c 0 make",
		"flock l make", "watch ls /", "script -c 'make' log", "su -c 'ls /'", "ssh host 'rm -rf build'", "ssh host ls /", "poetry run rm -rf build", "uv run pytest", "npm exec -- eslint /", "bundle exec rake clean", "docker exec c ls /", "git config alias.st status", "git config alias.x '!ls /'", "PAGER=less git log",
		"make -f - <<< 'x:;rm -rf build'", "make clean", "make -f - <<'E'\nclean:\n\trm -rf build\nE", "echo 'rm -rf build' | sh", "cat <<E\nrm -rf /\nE", "cat > x.sh <<'E'\nrm -rf /\nE", "cat <<'E' | grep rm\nrm -rf /\nE", "echo 'rm -rf /' | tee note.txt", "echo 'rm -rf /' | grep rm", "echo cm0gLXJmIC8K | base64 -d",
		"bash < script.sh", "bash <(curl -s x)", "python3 -c 'print(\"rm -rf / is bad\")'", "python3 -c 'import shutil; shutil.rmtree(\"build\")'", "python3 -c 'import os; os.system(\"rm -rf build\")'", "python3 -c 'import os; print(os.listdir(\"/\"))'", "python3 -c 'import os; os.remove(\"/tmp/x\")'", "python3 -c 'shutil.rmtree(\"/tmp/x\")'",
		"python3 -c 'import subprocess; subprocess.run([\"ls\",\"/\"])'", "python3 <<E\nprint('rm -rf /')\nE", "node -e 'console.log(\"rm -rf /\")'", "node -e 'fs.rmSync(\"dist\",{recursive:true})'", "perl -e 'print \"rm -rf /\"'", "perl -pe 's/rm/mv/' x", "ruby -e 'puts \"rm -rf /\"'", "awk '{print \"rm -rf /\"}'", "awk '/rm -rf \\//' x",
		"php -r 'echo \"/\";'", "sed 's#/#rm -rf /#' x", "git commit -m \"don't rm -rf /\"", "git commit -F - <<E\nnever rm -rf /\nE", "gh pr create --body 'rm -rf / is refused'", "grep -rn 'rm -rf /' .", "rg 'rm -rf /'", "printf 'rm -rf /\\n'", "echo \"rm -rf /\" > notes", "a=(1 2 3); echo \"${a[@]}\"", "set -- a b; rm -rf \"$@\"",
		"for d in a b; do rm -rf $d; done", "chmod -R u+rwX .", "chown -R me:me .", "chmod -R 755 build", "cd /usr/local/src && chmod -R u+w x", "mv * ../backup", "mv build/* .", "rsync -a --delete ./ /tmp/x/", "kill -9 1234", "kill -1", "dd if=/dev/zero of=disk.img", "mkfs.ext4 -F disk.img", "tar -C / -cf x.tar etc/hosts",
		"crontab -l", "at -l", "systemctl status reboot.target", "systemctl cat rescue.target", "kill 12341", "kill -9 %1", "kill -1 1234", "pkill node", "killall -9 node", "pkill -f ./server", "umount /mnt/x", "fdisk -l /dev/sda", "parted /dev/sda print", "tar -I zstd -cf x y", "rsync -e 'ssh -p 22' a b:", "ssh -o 'ProxyCommand=ssh -W %h:%p j' h", "make CMD='rm -rf build'", "bash -c 'rm -rf \"$1\"' _ build", "{ echo a; echo b; } | sh", "find . -type f -exec chmod 644 {} +", "zpool status", "lvs", "rm -rf /'*'", "shutdown_test", "./reboot.sh", "echo {a,b}", "cp {a,b}.go /tmp", "mkdir -p src/{a,b}/{c,d}", "touch {1..3}", "ls {/,/etc}", "cat /???/hosts", "$(which ls) /", "which rm", "command -v rm", "type rm", "man rm", "rm --help", "rm -rf --help",
	} {
		if a := Analyze(src, workspace); a.Verdict == Catastrophic {
			t.Errorf("%q: catastrophic: %s", src, a.Reason)
		}
	}
}
