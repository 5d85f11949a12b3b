#compdef watchglass kubectl-watchglass
# zsh completion for watchglass. Load it with:
#   source <(watchglass completion zsh)
# or write it to a file _watchglass in a folder of $fpath.
_watchglass() {
    local -a lines candidates
    local line word
    lines=("${(@f)$(${words[1]/#\~/$HOME} __complete "${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
    [[ $PREFIX == -*=* ]] && compset -P '*='
    if [[ ${lines[-1]} == :0 ]]; then
        _files
        return
    fi
    for line in "${(@)lines[1,-2]}"; do
        word=${line%%$'\t'*}
        candidates+=("${word//:/\\:}${${line#$word}/$'\t'/:}")
    done
    (( $#candidates )) && _describe -V watchglass candidates
}
if [[ ${funcstack[1]} == _watchglass ]]; then
    _watchglass "$@"
else
    compdef _watchglass watchglass kubectl-watchglass
fi
