# fish completion for watchglass. Load it with:
#   watchglass completion fish | source
function __watchglass_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($words[1] __complete $words[2..] "$current" 2>/dev/null)
    set -l flag ""
    set -l typed "$current"
    if string match -qr '^-.*?=' -- "$current"
        set flag (string match -r '^-.*?=' -- "$current")
        set typed (string replace -r '^-.*?=' '' -- "$current")
    end
    if test "$lines[-1]" = ":0"
        for path in (__fish_complete_path "$typed")
            echo "$flag$path"
        end
        return
    end
    for line in $lines[1..-2]
        echo "$flag$line"
    end
end
for command in watchglass kubectl-watchglass
    complete -c $command -f -k -a '(__watchglass_complete)'
end
