# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for vsysemu
_vsysemu() {
	local cur=${COMP_WORDS[COMP_CWORD]}
	COMPREPLY=($(compgen -W "run compare scan check explain models reproduce calibrate --mode= --kernel= --trap= --cpu= --clocksource= --baseline= --set= --mitigations= --audit --seccomp= --timens --accounting= --vdso= --setenv= --unsetenv= --argv0= --sysroot= --cwd= --auxv= --cpus= --trace --summary --strace --report= --output= --quiet --epoch= --seed= --max-insns= --timeout= --color= --progress --engine-level= --impl= --random= --emit --truth= --guest= --column= --jobs= --files0-from= --kernels= --each --rip= --cs= --error-code= --stack= --follow= --nth= --help --version " -- "$cur"))
	[[ ${COMPREPLY-} == *= ]] && compopt -o nospace
	[[ $cur == -* ]] || COMPREPLY+=($(compgen -f -- "$cur"))
}
complete -F _vsysemu -o filenames vsysemu
