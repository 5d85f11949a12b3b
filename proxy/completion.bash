# bash completion for watchglass. Load it with:
#   source <(watchglass completion bash)
_watchglass() {
    local line="${COMP_LINE:0:COMP_POINT}" words cur typed out candidate
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    cur="${words[${#words[@]} - 1]}"
    out=$("${words[0]/#\~/$HOME}" __complete "${words[@]:1}" 2>/dev/null) || return
    typed=$cur
    [[ $cur == -*=* ]] && typed=${cur#*=}
    COMPREPLY=()
    if [[ ${out##*:} == 0 ]]; then
        compopt -o filenames 2>/dev/null
        while IFS= read -r candidate; do
            [[ $candidate ]] && COMPREPLY+=("$candidate")
        done <<<"$(compgen -f -- "$typed")"
        return
    fi
    while IFS= read -r candidate; do
        candidate=${candidate%%$'\t'*}
        [[ $candidate ]] && COMPREPLY+=("$(printf %q "$candidate")")
    done <<<"${out%:*}"
    # To bash a colon begins a new word.
    if [[ $typed == *:* && $COMP_WORDBREAKS == *:* ]]; then
        COMPREPLY=("${COMPREPLY[@]#"${typed%"${typed##*:}"}"}")
    fi
}
complete -F _watchglass watchglass kubectl-watchglass
