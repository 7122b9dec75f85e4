package shell

import "testing"

// What bash evaluates may hold commands: such a line does more than look, and is never tried.
func TestWhatEvaluatesAValueIsNoLooking(t *testing.T) {
	for _, src := range []string{
		`x='a[$(touch mark)]'; echo $((x))`, `echo $((x))`, `echo $(( $x + 1 ))`, `echo $(( ${x} ))`, `echo $((a[x]))`,
		`echo ${x@P}`, `echo "${x@P}"`, `echo ${x[@]@P}`, `echo ${!x}`, `echo ${a[x]}`, `echo ${a[$x]}`, `echo ${x:y}`,
		`echo ${x:0:y}`, `echo ${#a[x]}`, `[[ x -eq 1 ]]`, `[[ $x -gt 1 ]]`, `[[ -v $x ]]`, `(( x ))`, `let x`, `let "y=x"`,
		`for ((i=x; i<3; i++)); do echo $i; done`, `declare -i y=x`, `local -i y=$x`, `typeset -i y; y=x`, `declare -n r=x; echo $r`,
		`a[x]=1; echo $a`, `a=([x]=1); echo $a`, `printf -v 'a[$(date)]' 1`, `printf -v "$x" 1`, `printf -va[x] 1`,
		`test -v 'a[$(date)]'`, `[ -v "$x" ]`, `read 'a[$(date)]'`, `unset 'a[$(date)]'`, `wait -p "$x"`, `mapfile "$x" <f`,
		`while read -r n; do echo $((n+1)); done <f`, `n=$(cat f); echo $((n))`, `i=1; while echo $((i)); do i=$(cat f); done`,
		`for n in $(cat f); do echo $((n)); done`, `echo $((x)); x=1`, `x=1; x=$y; echo $((x))`, `x=y; echo $((x))`,
		`echo $(( $(cat f) ))`, `bash -c 'echo $((x))'`, `echo "$(echo $((x)))"`, `builtin printf -v "$x" 1`,
		`x=1; printf -v x %s "$y"; echo $((x))`, `seq -f "$x" 1; for i in $(seq -f "$x" 3); do echo $((i)); done`,
	} {
		if a := Analyze(src, workspace); a.Verdict == ReadOnly || a.Tries {
			t.Errorf("%q: %s, tried: %v; want that it is asked about", src, a.Verdict, a.Tries)
		}
	}
}

func TestPlainNumbersOfTheLineStayLooking(t *testing.T) {
	for _, src := range []string{
		`echo $((1+2))`, `x=3; echo $((x+1))`, `for i in 1 2 3; do echo $((i*2)); done`, `for i in {1..9}; do echo $((i % 2)); done`,
		`i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done`, `n=$(wc -l <f); echo $((n/2))`, `echo $(( $(date +%s) - 5 ))`,
		`for i in $(seq 1 3); do echo $((i)); done`, `a=(1 2 3); echo ${a[1]}`, `echo ${x:0:8}`, `echo $(($# + $?))`,
		`echo ${!PREFIX*}`, `a=(b c); echo ${a[@]} ${#a[@]} ${!a[@]}`, `[ -v x ] && echo set`, `echo ${x@Q}`, `x=abc; echo $((${#x} + 1))`,
	} {
		if a := Analyze(src, workspace); a.Verdict != ReadOnly && !a.Tries {
			t.Errorf("%q is asked about: %s", src, a.Reason)
		}
	}
}
